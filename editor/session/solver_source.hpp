#pragma once

#include "torsor/host/registry.hpp"
#include "torsor/simulation/run_comparison.hpp"

namespace torsor::editor {

// Of the registry's plugins; it must outlive the source.
inline SolverSource solver_source(const Registry& registry) {
  return [&registry](const std::string& id, std::shared_ptr<const Model> model) {
    return registry.solver(id, std::move(model));
  };
}

}  // namespace torsor::editor
