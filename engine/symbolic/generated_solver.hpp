#pragma once
// The solver that is generated for each model: solver.generated.

#include <span>
#include <string>

#include "torsor/host/registry.hpp"

namespace torsor::symbolic {

// Adds solver.generated to a registry. The first solver for a model generates and compiles its
// source (solver_source.hpp), in seconds. Later ones use the file in the user's cache folder. The
// arguments are the quantities that the solver offers, separated by '+'; by default, all that
// simulations need. Creating a solver throws Error as solver_source() and cached_solver() do.
void add_generated_solver(Registry& registry);

// Returns the id of the solver that offers these quantities. Throws Error as
// require_solver_quantities() does.
std::string generated_solver_id(std::span<const std::string> quantities);

}  // namespace torsor::symbolic
