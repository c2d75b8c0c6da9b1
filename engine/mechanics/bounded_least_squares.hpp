#pragma once
// Damped linear least squares within bounds. Each step of inverse kinematics solves such a problem.

#include <Eigen/Core>

namespace torsor {

// Returns the d [n] that minimises |J d - e|^2 + lambda^2 |d|^2 within lower <= d <= upper, for J
// [m x n] and lambda > 0. Without bounds, d = (J^T J + lambda^2 1)^-1 J^T e. Bounds may be infinite
// and must satisfy lower <= 0 <= upper.
Eigen::VectorXd bounded_least_squares(const Eigen::MatrixXd& J, const Eigen::VectorXd& e,
                                      double lambda, const Eigen::VectorXd& lower,
                                      const Eigen::VectorXd& upper);

}  // namespace torsor
