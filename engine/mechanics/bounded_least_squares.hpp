#pragma once
// Damped linear least squares within bounds: the step of inverse kinematics.

#include <Eigen/Core>

namespace torsor {

// The d [n] with the least |J d - e|^2 + lambda^2 |d|^2 and lower <= d <= upper, J [m x n], lambda
// > 0; without bounds (J^T J + lambda^2)^-1 J^T e. Bounds may be infinite, and lower <= 0 <= upper.
Eigen::VectorXd bounded_least_squares(const Eigen::MatrixXd& J, const Eigen::VectorXd& e,
                                      double lambda, const Eigen::VectorXd& lower,
                                      const Eigen::VectorXd& upper);

}  // namespace torsor
