#pragma once
// Poses, Jacobians and energies from a State.

#include <Eigen/Core>

#include "torsor/mechanics/state.hpp"

// This header and the libraries must be compiled with the same Eigen alignment. Otherwise objects
// that are passed between them corrupt the heap.
static_assert(
    EIGEN_DEFAULT_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
    "Torsor is built for Eigen as on plain x86-64: compile without -march=native, or with "
    "EIGEN_DONT_VECTORIZE, EIGEN_MAX_ALIGN_BYTES=16 and EIGEN_MAX_STATIC_ALIGN_BYTES=16 defined");

namespace torsor {

// Computes X_WB of each body, [n_body]. The overload with a span does not allocate.
std::vector<Pose<double>> world_poses(const State& state);
void world_poses(const State& state, std::span<Pose<double>> X_WB);
// Returns X_WF of one frame.
Pose<double> frame_pose(const State& state, const Frame& frame);
// Computes V_WB_B of each body, [n_body]. No allocation.
void body_twists(const State& state, std::span<Twist<double>> V);
// The same for the rates v [n_v] instead of those of the state.
void body_twists(const State& state, const double* v, std::span<Twist<double>> V);

// The axes in which the twist of a frame F is expressed. The twist always consists of the angular
// velocity of F and the velocity of its origin, angular part first.
//   frame: V_WF_F, the body-fixed twist, in the axes of F
//   world: (R_WF w, R_WF v), the "mixed" twist, in the axes of the world. The linear part is the
//     time derivative of the origin's coordinates in the world.
enum class Axes { frame, world };

// Returns the twist of one frame, rad/s and m/s. No allocation.
Twist<double> frame_twist(const State& state, const Frame& frame, Axes axes = Axes::frame);

// Returns the Jacobian J [6 x n_v], angular rows first. The twist of the frame in the chosen axes
// is J v (MK 15-16). For Axes::frame, J is also the derivative of the pose in tangent coordinates:
// a small displacement d (integrate()) changes X_WF to X_WF exp(J d). The overload with a matrix
// does not allocate.
Eigen::MatrixXd frame_jacobian(const State& state, const Frame& frame, Axes axes = Axes::frame);
void frame_jacobian(const State& state, const Frame& frame, Axes axes,
                    Eigen::Ref<Eigen::MatrixXd> J);

// Returns Jdot v at q and v of the state, rad/s^2 and m/s^2. In the chosen axes, the derivative of
// the twist by component is J vdot + Jdot v (MK 19, used in KHALIL 9.20). Does not allocate and
// uses no numerical differences.
Twist<double> jacobian_rate(const State& state, const Frame& frame, Axes axes = Axes::frame);
// Returns Jdot [6 x n_v] at q and v of the state, in the chosen axes (MK 19). jacobian_rate()
// returns its product with v. The overload with a matrix does not allocate.
Eigen::MatrixXd jacobian_derivative(const State& state, const Frame& frame,
                                    Axes axes = Axes::frame);
void jacobian_derivative(const State& state, const Frame& frame, Axes axes,
                         Eigen::Ref<Eigen::MatrixXd> Jdot);

// The screws of all joints in the world are the columns of all spatial Jacobians.
//
// Computes the screw of each dof in the world frame, S_W [n_v] = Ad(X_WB) S_B, and X_WB [n_body].
// V_WB_W is the sum of S_W v of the dof on the path from the world to the body (MK 15-17). Does not
// allocate.
void joint_screws(const State& state, std::span<Pose<double>> X_WB, std::span<Twist<double>> S_W);

// Computes their time derivatives Sdot_W [n_v] at v of the state, and V_WB_W [n_body]. Does not
// allocate.
void joint_screw_rates(const State& state, std::span<const Twist<double>> S_W,
                       std::span<Twist<double>> V_WB_W, std::span<Twist<double>> Sdot_W);

// Returns the kinetic energy 1/2 sum V^T M V + 1/2 sum armature v^2, J. Does not include links that
// are fixed to the world. V_WB_B [n_body] is memory for the twists of the bodies.
double kinetic_energy(const State& state);
double kinetic_energy(const State& state, std::span<Twist<double>> V_WB_B);
// Returns the potential energy -sum m g . c of the moving bodies, J. It is zero for a mass at the
// world's origin. X_WB [n_body] is memory for the poses of the bodies.
double potential_energy(const State& state);
double potential_energy(const State& state, std::span<Pose<double>> X_WB);

}  // namespace torsor
