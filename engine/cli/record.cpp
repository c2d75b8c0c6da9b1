#include "torsor/cli/record.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>

namespace torsor::cli {

namespace {

std::atomic<bool> interrupted{false};
void interrupt(int) {
  interrupted = true;
}

SolverIdentity identity(const PluginInfo& plugin) {
  return {plugin.id, plugin.version, plugin.sha256};
}

}  // namespace

RecordedRun prepare(const Registry& registry, const Experiment& experiment,
                    const std::filesystem::path& scene, const std::filesystem::path& recording) {
  return RecordedRun(
      experiment,
      [&registry](const std::string& id, std::shared_ptr<const Model> model) {
        return registry.solver(id, std::move(model));
      },
      [&registry](const std::string& id) { return identity(registry.find_solver(id)); }, scene, recording);
}

bool execute(RecordedRun& run, const std::filesystem::path& scene, Progress& progress,
             const std::string& what) {
  std::signal(SIGINT, interrupt);
  std::signal(SIGTERM, interrupt);
  const double steps = double(run.run().steps());
  try {
    return run.execute([&](const Simulation& simulation) {
      if (progress.due())
        progress.show(double(simulation.steps()) / steps,
                      fmt::format("{}t = {:.3f} s  {:.1f} x real time", what, simulation.time(),
                                  simulation.time() / progress.wall()));
      return !interrupted;
    });
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}; the recording up to there is in '{}'", scene.string(), error.what(),
                            run.recording().string()));
  }
}

}  // namespace torsor::cli
