#pragma once
// The dynamics of a frame in operational space (MR 9.90-9.99; ERRATA of 9.95). With V = J v, Vdot =
// J vdot + Jdot v and M vdot + b = tau = J^T F:
//   F = Lambda Vdot + eta
//   Lambda = (J M^-1 J^T)^-1,   eta = Lambda (J M^-1 b - Jdot v)
// MR uses the inverse of a square J instead. This form is also valid for redundant arms. Their
// torques have a part that does not accelerate the frame, tau = J^T F + N^T tau_0 (Khatib 1987):
//   Jbar = M^-1 J^T Lambda,   N^T = 1 - J^T Jbar^T

#include <Eigen/Core>

#include "torsor/handles/solver.hpp"
#include "torsor/mechanics/task.hpp"

namespace torsor {

// The operational space of m components. Its rows and entries m are the frame's body-fixed twist or
// wrench, angular part first, or the chosen components in the axes of the world (Axes::world).
// Those of n_v are dof of the model.
//
// J M^-1 J^T always exists. It has no inverse if the arm has too few joints or is singular. Then
// Lambda is defined on the possible motions, the range of J [m x rank]. 1/2 V^T Lambda V is the
// least kinetic energy for a motion V of the frame. F has no component along immovable, because no
// torque balances it. The equations of Jbar and N^T are the same.
struct OperationalSpace {
  // Rank of J: the number of independent velocities that the joints can produce in the m
  // components.
  int rank = 0;
  Eigen::MatrixXd Lambda, Lambda_inverse;  // [m x m]
  Eigen::VectorXd Jdot_v;                  // [m]
  // [m] eta = coriolis + gravity (mu and p of Khatib 1987):
  //   coriolis = Lambda (J M^-1 C v - Jdot v),   gravity = Lambda J M^-1 g
  Eigen::VectorXd coriolis, gravity;
  // [n_v x m] dynamically consistent inverse, the one with the least kinetic energy.
  Eigen::MatrixXd Jbar;
  Eigen::MatrixXd null_projector;  // [n_v x n_v] N^T, of torques
  // [m x (m - rank)] orthonormal directions in which these components cannot move.
  Eigen::MatrixXd immovable;

  Eigen::VectorXd eta() const { return coriolis + gravity; }
};

// The operational spaces of the frames in a state.
class OperationalSpaces {
 public:
  // Computes M, the bias and gravity in a state, without applied wrenches. The state must not
  // change afterwards. Throws Error if the solver fails, and with the name of the joint if M is
  // singular.
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
