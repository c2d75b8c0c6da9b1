#pragma once
// Products of small dense matrices.

#include <Eigen/Core>

namespace torsor {

// Adds A X to Y: [m x k], [k x n] and [m x n]. Skips zeros of X. This is faster than a product of
// Eigen, which is compiled without vector instructions (cmake/TorsorTargets.cmake) and copies its
// factors first.
void add_product(const Eigen::Ref<const Eigen::MatrixXd>& A,
                 const Eigen::Ref<const Eigen::MatrixXd>& X, Eigen::Ref<Eigen::MatrixXd> Y);

}  // namespace torsor
