#pragma once
// All permanent constraints of a model at a state: its mimic joints, followed by its closures.
//   phi(q) = 0,   J v = 0,   J vdot + Jdot v = 0
// A mimic joint has the constant row phi = q_dof - ratio q_of_dof - offset.

#include <Eigen/Core>
#include <string>

#include "torsor/constraints/closure_rows.hpp"

namespace torsor {

// A mimic joint or a closure: a group of consecutive rows.
struct ConstraintGroup {
  std::string name;  // name of the mimic joint or of the closure
  bool is_closure;
  Eigen::Index first, size;  // rows
};

class ConstraintRows {
 public:
  explicit ConstraintRows(const Model& model);

  // Evaluates J, Jdot v and phi at q and v of the state. No allocation.
  void evaluate(const State& state);

  Eigen::Index size() const { return J_.rows(); }
  const Eigen::MatrixXd& jacobian() const { return J_; }   // [rows x n_v]
  const Eigen::VectorXd& bias() const { return bias_; }    // Jdot v, m/s^2 or rad/s^2
  const Eigen::VectorXd& error() const { return error_; }  // phi, m or rad
  // Bounds of the rounding errors of phi.
  const Eigen::VectorXd& rounding() const { return rounding_; }
  std::span<const ConstraintGroup> groups() const { return groups_; }
  const ConstraintGroup& group_of(Eigen::Index row) const;
  // Returns "NAME.K", with K counted from 1, in the order of the conditions of the closure's kind.
  std::string name(Eigen::Index row) const;
  // Returns whether the error of a row is a distance, m, rather than an angle.
  bool is_distance(Eigen::Index row) const;
  // Returns the group with the largest error, or nullptr without rows.
  const ConstraintGroup* worst_group() const;
  // Returns a sentence with the error of a group: "the closure 'pin' is open by 0.1 m and 0 rad".
  std::string describe_error(const ConstraintGroup& group) const;
  // Returns the wrench of A on B of each closure for multipliers of all rows, N m and N: at the
  // origin of B, in the axes of A. The state is that of the last evaluation.
  std::vector<Wrench<double>> closure_wrenches(const State& state,
                                               const Eigen::VectorXd& multipliers) const;

 private:
  Eigen::Index first_closure() const { return Eigen::Index(mimics_.size()); }

  ClosureRows closures_;
  std::vector<Mimicry> mimics_;
  std::vector<char> mimic_turns_;
  std::vector<ConstraintGroup> groups_;
  Eigen::MatrixXd J_;
  Eigen::VectorXd bias_, error_, rounding_;
};

}  // namespace torsor
