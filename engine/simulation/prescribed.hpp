#pragma once
// Prescribed motion: joints that follow a given motion regardless of the forces on them. Examples
// are moving bases (V_0 and its rate in MR 9.69-9.70), conveyors and shakers.
//
//   v_k = v_p(t),  vdot_k = vdot_p(t)   for the dof k of a prescribed joint
//
// Prescribed motion is a constraint (mechanism.hpp) whose rows have the rate v_p and the
// acceleration vdot_p instead of 0. Its lambda is the force of the joint's drive. The positions are
// the integral of v_p.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "torsor/simulation/mechanism/mechanism.hpp"

namespace torsor {

struct Prescription {
  int joint;  // index in Model::joints
  // Writes v and vdot of the joint's dof at time t, [n_v of the joint] each. Must return the same
  // values for the same t. May throw Error.
  std::function<void(double t, std::span<double> v, std::span<double> vdot)> motion;
  std::string source = "";  // position of the definition, "file:line", for messages
  // Times at which vdot jumps, s, in ascending order.
  std::vector<double> breaks = {};
};

class Prescribed {
 public:
  Prescribed() = default;
  // Throws Error if one of these applies to a prescribed joint:
  // - it has elasticity or a transmission, or mimics another joint
  // - it, or a joint that mimics it, has a stop or static friction
  // - it is prescribed twice
  Prescribed(const Model& model, std::vector<Prescription> prescriptions);

  std::span<const Row> rows() const { return rows_; }  // one per prescribed dof
  std::vector<ConstraintRow> constraint_rows() const;
  bool moves(int dof) const;
  // Throws Error for a nonzero torque on a prescribed joint or on a joint that mimics one. Such a
  // torque would have no effect. tau[0] belongs to the dof `first`.
  void check_torque(std::span<const double> tau, int first = 0) const;
  // Throws Error if the rates of prescribed joints in v [n_v] differ from the prescribed rates at
  // time t by more than `rounding`.
  void check_rates(double t, std::span<const double> v, double rounding);
  // Evaluates the motions at time t. Throws Error if a motion fails or returns a value that is not
  // finite.
  void go_to(double t);
  double rate(size_t row) const { return v_[row]; }
  double acceleration(size_t row) const { return vdot_[row]; }
  void write_rates(double* u) const { write(v_, u); }
  void write_accelerations(double* udot) const { write(vdot_, udot); }
  // Throws Error if vdot is not the derivative of v between t and t + dt, or if v jumps in this
  // interval.
  void check_derivative(double t, double dt);

 private:
  void write(const std::vector<double>& from, double* to) const {
    for (size_t k = 0; k < rows_.size(); ++k) to[rows_[k][0].index] = from[k];
  }
  struct Sample {
    std::vector<double> v, vdot;  // [rows]
  };
  Sample sample(double t);
  size_t prescription_of(size_t row) const;
  [[noreturn]] void fail(size_t prescription, const std::string& what) const;

  std::vector<Prescription> prescriptions_;
  std::vector<size_t> first_;       // first row of each prescription, then the total number of rows
  std::vector<std::string> names_;  // names of the prescribed joints
  std::vector<std::vector<int>> follow_;  // dof that move with each joint, by mimic relations
  std::vector<Row> rows_;
  std::vector<double> v_, vdot_;  // [rows]
};

}  // namespace torsor
