#pragma once

#include "editor/session/moment.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/simulation/run_comparison.hpp"

namespace torsor::editor {

// The plugins that the scene was loaded with, its own among them; the registry's where it was loaded without.
inline const Registry& plugins_of(const Scene& scene, const Registry& registry) {
  return scene.experiment.plugins ? *scene.experiment.plugins : registry;
}

// Of these; the registry must outlive the source.
inline SolverSource solver_source(const Scene& scene, const Registry& registry) {
  return
      [own = scene.experiment.plugins, &registry](const std::string& id, std::shared_ptr<const Model> model) {
        return (own ? *own : registry).solver(id, std::move(model));
      };
}

}  // namespace torsor::editor
