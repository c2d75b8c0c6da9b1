#pragma once
// The handle torsor_evaluator.

#include <memory>
#include <optional>
#include <vector>

#include "torsor/batch/batch_solver.hpp"
#include "torsor/capi/boundary.hpp"
#include "torsor/capi/quantities.hpp"
#include "torsor/capi/robot.hpp"

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

struct torsor_evaluator {
  torsor_evaluator(const torsor_robot& robot, const char* solver_name);

  std::shared_ptr<const torsor::Registry> plugins, found;
  std::shared_ptr<const torsor::Model> model;
  torsor::State state;
  torsor::Solver solver;
  bool has_quaternions;          // true: positions are checked and scaled
  std::vector<double> q, zeros;  // [n_q], [n_v]
  std::unique_ptr<torsor::capi::BatchMemory> batch = {};
};
