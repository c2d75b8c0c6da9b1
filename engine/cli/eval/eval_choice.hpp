#pragma once
// The quantities that a call of `torsor eval` computes, and the checks before the computation.

#include "torsor/cli/eval/eval_rows.hpp"
#include "torsor/cli/support/states.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

// Returns the quantities with these names, or the default ones if there are no names.
std::vector<const EvalRow*> chosen_rows(const std::vector<std::string>& names,
                                        const Solver& solver);

// Throws Error in these cases:
// - The solver does not provide a chosen quantity.
// - A state lacks derivatives of v that the quantity needs (at least vdot, jerk and snap).
// - A state has derivatives of a higher order than the solver supports.
void require_offered(const std::vector<const EvalRow*>& chosen, const Solver& solver,
                     const Registry& registry, const std::shared_ptr<const Model>& model,
                     const StatesFile& file, const std::string& name);

// Throws Error, with the sizes of the largest quantities, if the chosen quantities are more numbers
// per state than about 2 MB of JSON. The user must then select quantities by name.
void require_moderate_size(const std::vector<const EvalRow*>& chosen, const Model& model,
                           const std::string& file);

// Throws Error if the results of all states do not fit into memory.
void require_memory(const std::vector<const EvalRow*>& chosen, const Model& model, size_t states,
                    const std::string& file);

// Returns the names of the quantities that do not know closures.
nlohmann::ordered_json names_of_tree_quantities(const std::vector<const EvalRow*>& chosen);

}  // namespace torsor::cli
