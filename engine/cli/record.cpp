#include "torsor/cli/record.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

#include "torsor/dynamics/plugin_call.hpp"
#include "torsor/simulation/recording_lock.hpp"

namespace torsor::cli {

namespace {

std::atomic<bool> interrupted{false};
constexpr unsigned patience = 2;  // s that one call of a plugin may delay a run that is to stop

// Stops the run between two steps. A second signal, or the end of the patience, breaks off a call of a plugin that does not return.
void interrupt(int) {
  const bool again = interrupted.exchange(true);
  await_plugin_calls();
  if (again) break_off_awaited_call();
  alarm(patience);
}
void lose_patience(int) {
  break_off_awaited_call();
  await_plugin_calls();  // for a call that has begun since
  alarm(patience);
}

class Interruptible {
 public:
  Interruptible() {
    handle(SIGINT, interrupt);
    handle(SIGTERM, interrupt);
    handle(SIGALRM, lose_patience);
  }
  ~Interruptible() {
    if (interrupted) alarm(0);
  }

 private:
  static void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags =
        SA_RESTART | SA_NODEFER;  // breaking off leaves the handler by a jump: nothing may stay blocked
    sigaction(signal, &action, nullptr);
  }
};

}  // namespace

Patience::Patience() {
  alarm(patience);
}
Patience::~Patience() {
  if (!interrupted) alarm(0);
}

bool was_interrupted() {
  return interrupted;
}

bool wait_for(const std::function<bool()>& event) {
  const Interruptible interruptible;
  while (!event()) {
    if (interrupted) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps) {
  const Interruptible interruptible;
  const double steps = double(run.run().steps());
  try {
    return run.execute([&](const Simulation& simulation) {
      if (progress.due())
        progress.show(double(simulation.steps()) / steps,
                      fmt::format("{}t = {:.3f} s  {:.1f} x real time", what, simulation.time(),
                                  simulation.time() / progress.wall()));
      return (!between_steps || between_steps(simulation)) && !interrupted;
    });
  } catch (const RecordingLost& error) {
    throw Error(fmt::format("{}: {}", scene.string(), error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}; the recording up to there is in '{}'", scene.string(), error.what(),
                            run.recording().string()));
  }
}

}  // namespace torsor::cli
