#pragma once
// Discrete-time dynamics, x+ = f(x, u). A change dx of a state has n_x() entries. The state itself
// may have more, for example with quaternions.

#include <Eigen/Core>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// The linearisation of a step: dx+ = A dx + B du
struct LinearStep {
  Eigen::MatrixXd A, B;  // [n_x x n_x], [n_x x n_u]
};

class DiscreteDynamics {
 public:
  virtual ~DiscreteDynamics() = default;
  virtual Eigen::Index n_x() const = 0;
  virtual Eigen::Index n_u() const = 0;
  // Returns the change dx [n_x()] that leads from one state to the other.
  virtual Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const {
    return to - from;
  }
  // Computes next = f(x, u). Returns false if the step cannot be computed. failure() then returns
  // the reason.
  virtual bool step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) = 0;
  // Computes A and B at x, u. Returns false if they cannot be computed. failure() then returns the
  // reason.
  virtual bool linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) = 0;
  virtual std::string failure() const = 0;
};

}  // namespace torsor
