#pragma once
// The memory of torsor_evaluate_batch.

#include "torsor/capi/evaluator.hpp"

namespace torsor::capi {

// The memory of batches of one evaluator. A part of the states is computed at a time, so that it
// stays in the caches of the processor.
class BatchMemory {
 public:
  // solver: must outlive this object.
  BatchMemory(Solver& solver, const std::shared_ptr<const Model>& model);

  StateBatch states;
  BatchSolver solver;
  LentArray<double> x;       // [n_v][stride]
  std::vector<double> rows;  // [entries][stride], grows for the largest quantity
};

}  // namespace torsor::capi
