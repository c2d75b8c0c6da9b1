#pragma once
// `torsor eval --states FILE.h5 --out FILE.h5`: quantities of many states.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "torsor/handles/solver.hpp"

namespace torsor::cli {

struct BatchRequest {
  std::filesystem::path states, out;
  std::vector<std::string> quantities;  // names of the option --quantity
  size_t jobs = 1;                      // number of threads
};

// Computes the quantities of the states of a file, several states at once if the plugin of the
// solver can do so, and writes them to another file. Prints what was done, and a warning that
// counts states whose quantities cannot be computed; these are NaN. solver: prepares a solver for
// the model, once per thread. like: gravity of all states. Throws Error if a file, a quantity or an
// option is wrong.
void evaluate_batch(const BatchRequest& request, const std::function<Solver()>& solver,
                    const State& like);

}  // namespace torsor::cli
