#pragma once
// The handle torsor_evaluator.

#include <memory>
#include <vector>

#include "torsor/batch/batch_solver.hpp"
#include "torsor/capi/boundary.hpp"
#include "torsor/capi/quantities.hpp"
#include "torsor/capi/robot.hpp"

namespace torsor::capi {

class BatchMemory;    // batch.cpp
class RolloutMemory;  // rollout.cpp

}  // namespace torsor::capi

struct torsor_evaluator {
  // name: that of the solver, or null for the solver of the robot.
  torsor_evaluator(const torsor_robot& robot, const char* name);
  ~torsor_evaluator();
  torsor_evaluator(const torsor_evaluator&) = delete;

  // Makes another solver of the same name.
  torsor::Solver make_solver(const std::shared_ptr<const torsor::Model>& of) const;

  std::shared_ptr<const torsor::Registry> plugins, found;
  std::shared_ptr<const torsor::Model> model;
  torsor::State state;
  std::string solver_name;
  torsor::Solver solver;
  bool has_quaternions;          // true: positions are checked and scaled
  std::vector<double> q, zeros;  // [n_q], [n_v]
  torsor::capi::EvaluationScratch scratch;
  std::unique_ptr<torsor::capi::BatchMemory> batch = {};
  std::unique_ptr<torsor::capi::RolloutMemory> rollout = {};
};

namespace torsor::capi {

inline bool needs_v(QuantityInput input) {
  return input != QuantityInput::q;
}
inline bool needs_x(QuantityInput input) {
  return input == QuantityInput::q_v_vdot || input == QuantityInput::q_v_tau;
}
// Returns the name of the argument x in messages.
const char* name_of_x(QuantityInput input);

// Throws Error for the arguments of a quantity that are not finite, and for quaternions that are
// far from norm 1. Stores q with quaternions of norm 1 in at.q.
void check_state(torsor_evaluator& at, QuantityInput input, const double* q, const double* v,
                 const double* x);
// Computes a quantity at one state. Throws Error as check_state(), and if it cannot be computed.
void compute(torsor_evaluator& at, const NamedQuantity& quantity, const double* q, const double* v,
             const double* x, double* out);
// Sets gravity and the wrenches of all states of a batch to those of the evaluator.
void load_world(const torsor_evaluator& at, StateBatch& states);

}  // namespace torsor::capi
