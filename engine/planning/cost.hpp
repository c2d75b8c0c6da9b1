#pragma once
// What a trajectory costs: a sum over its steps and a term of its last state, with second-order
// models of both.

#include <Eigen/Core>

namespace torsor {

// l(x (+) dx, u + du) = l + l_x dx + l_u du + 1/2 (dx, du)^T [l_xx, l_ux^T; l_ux, l_uu] (dx, du),
// where the matrix is positive semidefinite and l_uu positive definite. Of a last state only what
// has no u.
struct CostModel {
  Eigen::VectorXd l_x, l_u;
  Eigen::MatrixXd l_xx, l_ux, l_uu;
};

class Cost {
 public:
  virtual ~Cost() = default;
  virtual double running(const Eigen::VectorXd& x, const Eigen::VectorXd& u) = 0;
  virtual void expand_running(const Eigen::VectorXd& x, const Eigen::VectorXd& u,
                              CostModel& out) = 0;
  virtual double terminal(const Eigen::VectorXd& x) = 0;
  virtual void expand_terminal(const Eigen::VectorXd& x, CostModel& out) = 0;
  // How far the last state is from what is wanted, in the unit of whoever asks.
  virtual double error(const Eigen::VectorXd& x) = 0;
};

}  // namespace torsor
