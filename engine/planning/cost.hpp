#pragma once
// The cost of a trajectory: a sum over its steps and a term for its last state, with second-order
// models of both.

#include <Eigen/Core>

namespace torsor {

// The second-order model of a cost:
//   l(x (+) dx, u + du) = l + l_x dx + l_u du + 1/2 (dx, du)^T [l_xx, l_ux^T; l_ux, l_uu] (dx, du)
// The matrix of second derivatives is positive semidefinite, and l_uu is positive definite. The
// model for a last state has only the terms without u.
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
  // Returns the distance of the last state from the goal, in a unit that the derived class defines.
  virtual double error(const Eigen::VectorXd& x) = 0;
};

}  // namespace torsor
