#pragma once
// The cost of a trajectory: a sum over its steps and a term for its last state, with second-order
// models of both.

#include <Eigen/Core>
#include <cstddef>
#include <limits>

namespace torsor {

// The second-order model of a cost:
//   l(x (+) dx, u + du) = l + l_x dx + l_u du + 1/2 (dx, du)^T [l_xx, l_ux^T; l_ux, l_uu] (dx, du)
// The matrix of second derivatives is positive semidefinite, and l_uu is positive definite. The
// model for a last state has only the terms without u.
struct CostModel {
  Eigen::VectorXd l_x, l_u;
  Eigen::MatrixXd l_xx, l_ux, l_uu;

  void set_zero(Eigen::Index n_x, Eigen::Index n_u) {
    l_x.setZero(n_x), l_u.setZero(n_u);
    l_xx.setZero(n_x, n_x), l_ux.setZero(n_u, n_x), l_uu.setZero(n_u, n_u);
  }
};

// A cost, or one term of a cost. Several terms together must make l_uu positive definite. A term
// without a part for the steps, or for the last state, does not override its functions.
class Cost {
 public:
  virtual ~Cost() = default;
  // Returns the cost of a step. step: index from 0. x: the state at its beginning. The result may
  // be infinite for a state that is not permitted.
  virtual double running(size_t, const Eigen::VectorXd&, const Eigen::VectorXd&) { return 0; }
  // Adds `weight` times the second-order model of running() to `out`.
  virtual void add_running(size_t, const Eigen::VectorXd&, const Eigen::VectorXd&, double,
                           CostModel&) {}
  virtual double terminal(const Eigen::VectorXd&) { return 0; }
  virtual void add_terminal(const Eigen::VectorXd&, double, CostModel&) {}
  // Returns the distance of the last state from the goal, in a unit that the derived class defines.
  // NaN: the cost has no goal for the last state.
  virtual double error(const Eigen::VectorXd&) { return std::numeric_limits<double>::quiet_NaN(); }
};

}  // namespace torsor
