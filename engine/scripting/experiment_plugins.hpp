#pragma once
// What runs and recordings ask of the plugins that an experiment was loaded with. Each keeps them.

#include "torsor/host/registry.hpp"
#include "torsor/simulation/describe.hpp"

namespace torsor {

inline SolverSource solver_source(const Experiment& experiment) {
  return [plugins = experiment.plugins](const std::string& id, std::shared_ptr<const Model> model) {
    return plugins->solver(id, std::move(model));
  };
}

inline SolverIdentifier solver_identifier(const Experiment& experiment) {
  return [plugins = experiment.plugins](const std::string& id) {
    const PluginInfo& plugin = plugins->find_solver(id);
    return SolverIdentity{plugin.id, plugin.version, plugin.sha256};
  };
}

}  // namespace torsor
