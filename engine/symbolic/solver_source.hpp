#pragma once
// The source of a plugin that is the generated solver of one robot.

#include "torsor/symbolic/code.hpp"

namespace torsor::symbolic {

struct SolverOptions {
  std::string name;                     // of solver_id()
  std::vector<std::string> quantities;  // names of formula rows that solvers offer
  Vec3<double> gravity_W{0, 0, -9.81};
};

// Returns the names of the formula rows that are members of torsor_solver.
std::vector<std::string> solver_quantities();

// Returns whether a solver can consist of these quantities: one is inverse or forward dynamics.
bool is_solver(std::span<const std::string> names);
// Throws Error if a solver cannot offer one of these quantities, if one is listed twice, or if they
// are no solver.
void require_solver_quantities(std::span<const std::string> names);

// Returns the id of a solver without its kind: generated.NAME, in lower case.
std::string solver_id(std::string name);

// Returns the plugin in C11. It includes headers of torsor/sdk and torsor/spatial only. Its
// functions are generated twice where the motion of the world matters: for a world at rest with
// gravity in the direction of gravity_W and no wrenches, which is faster, and for the general case.
// prepare() rejects every other model. Throws Error as generate_code() does.
GeneratedCode solver_source(const std::shared_ptr<const Model>& model,
                            const SolverOptions& options);

}  // namespace torsor::symbolic
