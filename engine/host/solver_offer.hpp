#pragma once
// Determines which quantities a solver computes itself and which the host derives from them.

#include <string>
#include <vector>

#include "torsor/host/registry.hpp"

namespace torsor {

struct SolverOffer {
  std::vector<std::string> offered, derived;  // names of quantities, and "rates", "partials", ...
  std::string trouble;                        // why the solver cannot be used, or ""
};

// Returns what a solver of the registry computes. Prepares the solver for a small robot of its
// family to find out.
SolverOffer offer_of(const Registry& registry, const PluginInfo& solver);

}  // namespace torsor
