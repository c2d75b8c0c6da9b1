#pragma once
// The dynamics of a frame in operational space (MR 9.92-9.99, with b instead of J^-T b
// in 9.95). With V = J v,
// Vdot = J vdot + Jdot v and M vdot + b = tau = J^T F:
//   F = Lambda Vdot + eta
//   Lambda = (J M^-1 J^T)^-1,   eta = Lambda (J M^-1 b - Jdot v)
// MR uses the inverse of a square J instead. The equations above are also valid for redundant arms.
// The torques tau = J^T F + N^T tau_0 of a redundant arm have a part N^T tau_0 that does not
// accelerate the frame (Khatib 1987):
//   Jbar = M^-1 J^T Lambda,   N^T = 1 - J^T Jbar^T

#include <Eigen/Core>

#include "torsor/handles/solver.hpp"
#include "torsor/mechanics/task.hpp"

namespace torsor {

// The operational space of a frame, with m components. There are two variants:
// - m = 6: the body-fixed twist and wrench of the frame, angular part first
// - chosen components of the twist and wrench in world axes (Axes::world)
//
// If the arm is singular or has too few joints, J M^-1 J^T has no inverse. Lambda is then its
// pseudoinverse on the range of J [m x rank], the possible motions of the frame. 1/2 V^T Lambda V
// is the minimum kinetic energy for a motion V of the frame. F has no component along the
// directions in `immovable`, because no torque can balance it. The equations of Jbar and N^T remain
// valid.
struct OperationalSpace {
  // Rank of J: the number of independent velocities of the frame that the joints can produce.
  int rank = 0;
  Eigen::MatrixXd Lambda, Lambda_inverse;  // [m x m]
  Eigen::VectorXd Jdot_v;                  // [m]
  // [m] eta = coriolis + gravity (mu and p of Khatib 1987):
  //   coriolis = Lambda (J M^-1 C v - Jdot v),   gravity = Lambda J M^-1 g
  Eigen::VectorXd coriolis, gravity;
  // [n_v x m] dynamically consistent inverse of J: the inverse that minimises the kinetic energy.
  Eigen::MatrixXd Jbar;
  Eigen::MatrixXd null_projector;  // [n_v x n_v] N^T, the null-space projector of torques
  // [m x (m - rank)] orthonormal directions in which the frame cannot move.
  Eigen::MatrixXd immovable;

  Eigen::VectorXd eta() const { return coriolis + gravity; }
};

// Computes the operational spaces of frames in one state.
class OperationalSpaces {
 public:
  // Computes M, the bias and gravity in a state, without applied wrenches. The state must outlive
  // this object and must not change. Throws Error if the solver fails or if M is singular. For a
  // singular M, the message names the joint.
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
