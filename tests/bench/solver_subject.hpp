#pragma once
// Torsor itself as a subject.

#include "bench/subject.hpp"

namespace torsor::bench {

// The work that a time includes: all of it from q and v, or that of the solver alone, with X_PB
// already computed.
enum class Form { total, solver_only };
inline const char* form_name(Form form) {
  return form == Form::total ? "total" : "solver only";
}

std::unique_ptr<Subject> solver_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples, Form form);
// State::set_q alone.
std::unique_ptr<Subject> kinematics_subject(std::shared_ptr<const Model> model,
                                            std::span<const Sample> samples);

}  // namespace torsor::bench
