#pragma once
// The dynamics as a frame feels them (MR 9.90-9.99; ERRATA of 9.95): with V = J v, Vdot = J vdot +
// Jdot v, M vdot + b = tau = J^T F,
//   F = Lambda Vdot + eta
//   Lambda = (J M^-1 J^T)^-1,   eta = Lambda (J M^-1 b - Jdot v)
// where MR has the inverse of a square J. Written so it holds for redundant arms too, where torques
// have a part besides, tau = J^T F + N^T tau_0, that does not accelerate the frame (Khatib 1987):
//   Jbar = M^-1 J^T Lambda,   N^T = 1 - J^T Jbar^T

#include <Eigen/Core>

#include "torsor/mechanics/task.hpp"
#include "torsor/plugin/solver.hpp"

namespace torsor {

// Of m components. Rows and entries of m are the frame's body-fixed twist or wrench, angular first,
// or the components that are chosen, in the axes of the world (Axes::world); those of n_v are
// columns of the model.
//
// J M^-1 J^T always exists. Where it has no inverse, because the arm has too few joints or stands
// singular, Lambda is that of the motions that there are, the range of J [m x rank]: 1/2 V^T Lambda
// V is the least kinetic energy at which the frame moves with V, and F has no part along immovable,
// which no torque balances. Jbar and N^T stay what they are.
struct OperationalSpace {
  // Independent motions that the joints can give these components.
  int rank = 0;
  Eigen::MatrixXd Lambda, Lambda_inverse;  // [m x m]
  Eigen::VectorXd Jdot_v;                  // [m]
  // [m] eta = Lambda (J M^-1 C v - Jdot v) + Lambda J M^-1 g: mu and p.
  Eigen::VectorXd coriolis, gravity;
  // [n_v x m] dynamically consistent inverse: of the least kinetic energy.
  Eigen::MatrixXd Jbar;
  Eigen::MatrixXd null_projector;  // [n_v x n_v] N^T, of torques
  // [m x (m - rank)] orthonormal: what these components cannot do.
  Eigen::MatrixXd immovable;

  Eigen::VectorXd eta() const { return coriolis + gravity; }
};

// Those of the frames of a state.
class OperationalSpaces {
 public:
  // Asks for M, the bias and gravity there; without applied wrenches. The state is to stay as it
  // is. Throws Error where the solver fails, and where M is singular, naming the joint.
  OperationalSpaces(Solver& solver, const State& state);

  OperationalSpace of(const Frame& frame) const;
  OperationalSpace of(const Frame& frame, const Components& components) const;

 private:
  OperationalSpace of(const Eigen::MatrixXd& J, const Eigen::VectorXd& Jdot_v) const;

  const State& state_;
  Eigen::MatrixXd M_;
  Eigen::MatrixXd L_;                   // M = L L^T; the upper triangle is not used
  Eigen::VectorXd coriolis_, gravity_;  // C v, g
};

}  // namespace torsor
