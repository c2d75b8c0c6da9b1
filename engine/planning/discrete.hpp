#pragma once
// Dynamics in steps of time, x+ = f(x, u). A change dx of a state has n_x() entries; the state
// itself may have more, as where it has quaternions.

#include <Eigen/Core>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

// dx+ = A dx + B du
struct LinearStep {
  Eigen::MatrixXd A, B;  // [n_x x n_x], [n_x x n_u]
};

class DiscreteDynamics {
 public:
  virtual ~DiscreteDynamics() = default;
  virtual Eigen::Index n_x() const = 0;
  virtual Eigen::Index n_u() const = 0;
  // The dx that leads from one state to another.
  virtual Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const {
    return to - from;
  }
  // next = f(x, u); false where there is none, failure() then says why.
  virtual bool step(const Eigen::VectorXd& x, const Eigen::VectorXd& u, Eigen::VectorXd& next) = 0;
  // A and B at x, u; false as step().
  virtual bool linearise(const Eigen::VectorXd& x, const Eigen::VectorXd& u, LinearStep& out) = 0;
  virtual std::string failure() const = 0;
};

}  // namespace torsor
