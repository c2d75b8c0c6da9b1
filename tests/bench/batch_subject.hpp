#pragma once
// Solvers and the regressor of the engine, which compute many states at once, as subjects of
// measurements.

#include "bench/subject.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::bench {

// Measures a solver that computes all samples in one call, several of them in the lanes of a
// register. Returns null if the solver computes states one by one.
std::unique_ptr<Subject> batch_subject(Solver solver, std::shared_ptr<const Model> model,
                                       std::span<const Sample> samples);
// Measures the torque regressor of the engine for all samples in one call.
std::unique_ptr<Subject> regressor_subject(std::shared_ptr<const Model> model,
                                           std::span<const Sample> samples);

}  // namespace torsor::bench
