#include "torsor/cli/support/record.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "torsor/cli/support/interrupt.hpp"
#include "torsor/recording/recording_lock.hpp"

namespace torsor::cli {

bool wait_for(const std::function<bool()>& event) {
  while (!event()) {
    if (was_interrupted()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what, const BetweenSteps& between_steps) {
  const OpenRecording open;
  run.set_stop(OpenRecording::is_to_close);
  const double steps = double(run.run().steps());
  try {
    return run.execute([&](const Simulation& simulation) {
      if (progress.due())
        progress.show(double(simulation.steps()) / steps,
                      fmt::format("{}t = {:.3f} s  {:.1f} x real time", what, simulation.time(),
                                  simulation.time() / progress.wall()));
      return (!between_steps || between_steps(simulation)) && !OpenRecording::is_to_close();
    });
  } catch (const RecordingLost& error) {
    throw Error(at_scene(scene, error.what()));
  } catch (const RecordingCut& error) {
    throw Error(at_scene(scene, error.what()));
  } catch (const Error& error) {
    throw Error(fmt::format("{}; the recording up to there is in '{}'",
                            at_scene(scene, error.what()), run.recording().string()));
  }
}

}  // namespace torsor::cli
