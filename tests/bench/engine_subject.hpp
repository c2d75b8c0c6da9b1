#pragma once
// Poses, Jacobians, momentum and other quantities of the engine as a subject of measurements.

#include "bench/subject.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::bench {

// Measures the works of the engine (is_of_engine) from q, v and vdot on. The mass matrix that the
// Delassus matrix requires is that of `solver`.
std::unique_ptr<Subject> engine_subject(Solver solver, std::shared_ptr<const Model> model,
                                        std::span<const Sample> samples);

}  // namespace torsor::bench
