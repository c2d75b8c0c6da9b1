#pragma once
// Solvers of Torsor as subjects of measurements.

#include "bench/subject.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::bench {

// The work that a time includes. total: everything, from q and v on. solver_only: the solver alone;
// the state with its poses X_PB is computed before. batch: everything, for many states in one call,
// divided by their number.
enum class Form { total, solver_only, batch };
inline const char* form_name(Form form) {
  constexpr const char* names[] = {"total", "solver only", "batch"};
  return names[int(form)];
}

std::unique_ptr<Subject> solver_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples, Form form);

}  // namespace torsor::bench
