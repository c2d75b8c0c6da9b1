#pragma once
// Connects experiments and their runs with plugins. All functions that are returned or stored keep
// the plugins loaded.

#include <algorithm>

#include "torsor/host/registry.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor {

// Lets the experiment take its solvers from these plugins.
inline void set_plugins(Experiment& experiment, std::shared_ptr<const Registry> plugins) {
  experiment.make_solver = [plugins](const std::string& id, std::shared_ptr<const Model> model) {
    return plugins->solver(id, std::move(model));
  };
  experiment.plugins = std::move(plugins);
}

inline SolverIdentifier solver_identifier(const Experiment& experiment) {
  return [plugins = experiment.plugins](const std::string& id) {
    const PluginInfo& plugin = plugins->find_solver(id);
    return SolverIdentity{plugin.id, plugin.version, plugin.sha256};
  };
}

// The files of plugins that are others than those before, for a run that goes on with them at this
// step. Throws Error where one of those gives no plugins any more.
inline std::vector<RebuiltPlugin> rebuilt_plugins(const Registry& plugins, const Registry& before,
                                                  long long step) {
  plugins.require_files_of(before);
  std::vector<RebuiltPlugin> out;
  const auto old = before.sources();
  for (const auto& source : plugins.sources())
    if (std::ranges::none_of(old, [&](const auto& other) {
          return other->path == source->path && other->sha256 == source->sha256;
        }))
      out.push_back({step, source->path, source->sha256});
  return out;
}

// A recorded run by those plugins. Throws Error as RecordedRun.
inline RecordedRun recorded_run(Experiment experiment, const std::filesystem::path& scene,
                                const std::filesystem::path& recording,
                                std::vector<RebuiltPlugin> rebuilt = {}) {
  SolverIdentifier identify = solver_identifier(experiment);
  return RecordedRun(std::move(experiment), std::move(identify), scene, recording,
                     std::move(rebuilt));
}

// Goes on with the plugins of this experiment, the same scene loaded anew. Throws Error as
// RecordedRun::go_on_with, and where a file that gave plugins gives none any more.
inline void go_on_with(RecordedRun& run, Experiment experiment) {
  std::vector<RebuiltPlugin> rebuilt = rebuilt_plugins(
      *experiment.plugins, *run.experiment().plugins, run.run().simulation().steps());
  SolverIdentifier identify = solver_identifier(experiment);
  run.go_on_with(std::move(experiment), std::move(identify), rebuilt);
}

}  // namespace torsor
