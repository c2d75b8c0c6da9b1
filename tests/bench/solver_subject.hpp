#pragma once
// Torsor as a subject.

#include "bench/subject.hpp"

namespace torsor::bench {

// The work included in a time: all work from q and v, or the solver alone, with X_PB computed
// before.
enum class Form { total, solver_only };
inline const char* form_name(Form form) {
  return form == Form::total ? "total" : "solver only";
}

std::unique_ptr<Subject> solver_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples, Form form);
// Returns a subject that only calls State::set_q.
std::unique_ptr<Subject> kinematics_subject(std::shared_ptr<const Model> model,
                                            std::span<const Sample> samples);

}  // namespace torsor::bench
