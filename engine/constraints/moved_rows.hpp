#pragma once
// The rows of constraints at positions near a state, and their derivatives.

#include <Eigen/Core>

#include "torsor/constraints/loops/constraint_rows.hpp"

namespace torsor {

// J and Jdot v as one matrix [rows x (n_v + 1)].
class MovedRows {
 public:
  explicit MovedRows(const State& state);
  // Evaluates the rows at q (+) h d of the state's q, with the velocities v.
  Eigen::MatrixXd operator()(const Eigen::VectorXd& d, double h, const Eigen::VectorXd& v);

 private:
  State at_;
  std::vector<double> q_, moved_;
  ConstraintRows rows_;
};

// Returns the derivative of J and of Jdot v along the direction d of q, for a constant v. Central
// differences of order 8: the step is halved from 0.1 rad until the differences of order 6 and 8 no
// longer approach each other.
Eigen::MatrixXd derivative_along(MovedRows& rows, const Eigen::VectorXd& d,
                                 const Eigen::VectorXd& v);

}  // namespace torsor
