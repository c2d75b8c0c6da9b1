#pragma once
// Laws about what the energies, M and the torques depend on (KHALIL 7.3.3.3 b, c, d), for all
// joints of a tree. They are rows of structure_laws().

#include "torsor/analysis/structure_laws.hpp"

namespace torsor {

// Return the error relative to the size of the terms. The last two return nullopt if the state has
// no solvers with other inertias.
std::optional<double> energies_of_links(InspectedState& at);
std::optional<double> positions_in_M(InspectedState& at);
std::optional<double> inertias_in_M(InspectedState& at);
std::optional<double> inertias_in_tau(InspectedState& at);

}  // namespace torsor
