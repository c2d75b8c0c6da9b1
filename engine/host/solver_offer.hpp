#pragma once
// The quantities that a solver computes by itself, and those that the host derives for it.

#include <string>
#include <vector>

#include "torsor/host/registry.hpp"

namespace torsor {

struct SolverOffer {
  std::vector<std::string> offered, derived;  // names of quantities, and "rates", "partials", ...
  std::string trouble;                        // why it cannot be used, or ""
};

// Returns the offer of a solver of the registry, prepared for a small robot of its family.
SolverOffer offer_of(const Registry& registry, const PluginInfo& solver);

}  // namespace torsor
