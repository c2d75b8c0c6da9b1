#pragma once
// Torsor itself as a subject.

#include "bench/subject.hpp"

namespace torsor::bench {

// What a call includes: the whole work from q and v, or the solver's share where X_PB is there already.
enum class Form { whole, shared };
inline const char* form_name(Form form) {
  return form == Form::whole ? "whole" : "shared";
}

std::unique_ptr<Subject> solver_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples, Form form);
// State::set_q alone.
std::unique_ptr<Subject> kinematics_subject(std::shared_ptr<const Model> model,
                                            std::span<const Sample> samples);

}  // namespace torsor::bench
