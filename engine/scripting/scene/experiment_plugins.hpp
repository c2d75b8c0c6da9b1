#pragma once
// Functions that connect experiments and runs with plugins. The functions stored here own the
// plugin registry, so the plugins stay loaded while an experiment or a run needs them.

#include <algorithm>

#include "torsor/host/registry.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor {

// Sets the plugins of the experiment. The experiment then creates its solvers and its constraint
// solver from these plugins.
inline void set_plugins(Experiment& experiment, std::shared_ptr<const Registry> plugins) {
  experiment.make_solver = [plugins](const std::string& id, std::shared_ptr<const Model> model) {
    return plugins->solver(id, std::move(model));
  };
  experiment.make_constraint_solver = [plugins](const ConstraintSolverChoice& choice,
                                                const std::shared_ptr<const Model>& model) {
    return plugins->make<ConstraintSolver>(choice.id, model, choice.parameters);
  };
  experiment.plugins = std::move(plugins);
}

inline SolverIdentifier solver_identifier(const Experiment& experiment) {
  return [plugins = experiment.plugins](const std::string& id) {
    const PluginInfo& plugin = plugins->find<Solver>(id);
    return SolverIdentity{plugin.id, plugin.version, plugin.sha256, plugin.level};
  };
}

// Returns the files of `plugins` that are new or changed compared with `before`. Each is marked
// with `step`, the step at which the run begins to use it. Throws Error if a plugin file of
// `before` no longer provides plugins.
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

// Creates a recorded run with the plugins of the experiment. Throws the same errors as the
// constructor of RecordedRun.
inline RecordedRun recorded_run(Experiment experiment, const std::filesystem::path& scene,
                                const std::filesystem::path& recording,
                                std::vector<RebuiltPlugin> rebuilt = {}) {
  SolverIdentifier identify = solver_identifier(experiment);
  return RecordedRun(std::move(experiment), std::move(identify), scene, recording,
                     std::move(rebuilt));
}

// Continues a run after its scene was reloaded. `experiment` is the reloaded scene with its new
// plugins. Throws the same errors as RecordedRun::continue_with. Also throws Error if a plugin file
// of the run no longer provides plugins.
inline void continue_with(RecordedRun& run, Experiment experiment) {
  std::vector<RebuiltPlugin> rebuilt = rebuilt_plugins(
      *experiment.plugins, *run.experiment().plugins, run.run().simulation().steps());
  SolverIdentifier identify = solver_identifier(experiment);
  run.continue_with(std::move(experiment), std::move(identify), rebuilt);
}

}  // namespace torsor
