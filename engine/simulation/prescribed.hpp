#pragma once
// Joints that move as they are told, whatever acts on them: moving bases (V_0 and its rate of MR
// 9.69-9.70), conveyors, shakers.
//
//   v_k = v_p(t),  vdot_k = vdot_p(t)   for the columns k of a prescribed joint
//
// A constraint beside the others (mechanism.hpp): its rows have the rate v_p and the acceleration
// vdot_p in place of 0, and their lambda is what the drive of the joint gives. The positions are
// the integral of v_p.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "torsor/simulation/mechanism.hpp"

namespace torsor {

struct Prescription {
  int joint;  // of Model::joints
  // v and vdot of the joint's columns at t, [columns] each; the same for the same t. May throw
  // Error.
  std::function<void(double t, std::span<double> v, std::span<double> vdot)> motion;
  std::string source = "";          // where it was said, "file:line", for messages
  std::vector<double> breaks = {};  // s, ascending: where vdot jumps
};

class Prescribed {
 public:
  Prescribed() = default;
  // Throws Error for joints that something else holds or drives: a stop, stiction, elasticity,
  // mimicry, a transmission.
  Prescribed(const Model& model, std::vector<Prescription> prescriptions);

  std::span<const Row> rows() const { return rows_; }  // one per column
  bool moves(int column) const;
  // Throws Error for a torque on one of them or on what mimics it: it would do nothing. tau: from
  // this column on.
  void check_torque(std::span<const double> tau, int first = 0) const;
  // Throws Error where a v [n_v] has other rates for them at a time, by more than rounding.
  void check_rates(double t, std::span<const double> v, double rounding);
  // Goes to a time; throws Error where a motion gives none or no finite numbers.
  void go_to(double t);
  double rate(size_t row) const { return v_[row]; }
  double acceleration(size_t row) const { return vdot_[row]; }
  void put_rates(double* u) const { put(v_, u); }
  void put_accelerations(double* udot) const { put(vdot_, udot); }
  // Throws Error where vdot is not the derivative of v between t and t + dt, or v jumps there.
  void check_derivative(double t, double dt);

 private:
  void put(const std::vector<double>& from, double* to) const {
    for (size_t k = 0; k < rows_.size(); ++k) to[rows_[k][0].index] = from[k];
  }
  struct Sample {
    std::vector<double> v, vdot;  // [rows]
  };
  Sample sample(double t);
  size_t prescription_of(size_t row) const;
  [[noreturn]] void fail(size_t prescription, const std::string& what) const;

  std::vector<Prescription> prescriptions_;
  std::vector<size_t> first_;             // row of each prescription, and their number
  std::vector<std::string> names_;        // of the joints
  std::vector<std::vector<int>> follow_;  // columns that move with each, by mimicry
  std::vector<Row> rows_;
  std::vector<double> v_, vdot_;  // [rows]
};

}  // namespace torsor
