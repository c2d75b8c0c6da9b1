#pragma once
// The memory of torsor_rollout.

#include "torsor/capi/evaluator.hpp"
#include "torsor/planning/rollouts.hpp"

namespace torsor::capi {

// Motions that advance together, with the step of one integrator. A part of the motions makes all
// its steps at a time, so that it stays in the caches of the processor.
class RolloutMemory {
 public:
  // n: number of motions of a part.
  RolloutMemory(const torsor_evaluator& at, const Step& step, size_t n);

  Step step;
  Rollouts rollouts;
  std::vector<double> tau;       // [n_v][stride]
  std::vector<double> neutral;   // [n_q]
  std::vector<double> sums;      // [stride]
  std::vector<char> has_failed;  // [stride]
};

}  // namespace torsor::capi
