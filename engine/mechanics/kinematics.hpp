#pragma once
// Poses, Jacobians and energies from a State.

#include <Eigen/Core>

#include "torsor/mechanics/state.hpp"

// Whoever disagrees with the libraries here would corrupt the heap.
static_assert(
    EIGEN_DEFAULT_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
    "Torsor is built for Eigen as on plain x86-64: compile without -march=native, or with "
    "EIGEN_DONT_VECTORIZE, EIGEN_MAX_ALIGN_BYTES=16 and EIGEN_MAX_STATIC_ALIGN_BYTES=16 defined");

namespace torsor {

// X_WB of every body, [n_body]; into a span without allocation.
std::vector<Pose<double>> world_poses(const State& state);
void world_poses(const State& state, std::span<Pose<double>> X_WB);
// X_WF of one frame.
Pose<double> frame_pose(const State& state, const Frame& frame);
// V_WB_B of every body, [n_body]. No allocation.
void body_twists(const State& state, std::span<Twist<double>> V);

// How the motion of a frame F is written, always the velocity of its origin and the turning of its
// axes, angular part first:
//   frame  V_WF_F, its body-fixed twist, in its own axes
//   world  (R_WF w, R_WF v), "mixed": in the axes of the world. The linear part is the time
//   derivative of the origin's
//          coordinates in the world, the angular one that of a rotation about the axes of the
//          world.
enum class Axes { frame, world };

// The twist of one frame, rad/s and m/s. No allocation.
Twist<double> frame_twist(const State& state, const Frame& frame, Axes axes = Axes::frame);

// J [6 x n_v], angular rows first: the twist of the frame in these axes is J v (MK 15-16). In the
// axes of the frame it is the derivative of its pose by the tangent coordinates as well: moved by a
// small d (integrate()), X_WF becomes X_WF exp(J d). Into a matrix without allocation.
Eigen::MatrixXd frame_jacobian(const State& state, const Frame& frame, Axes axes = Axes::frame);
void frame_jacobian(const State& state, const Frame& frame, Axes axes,
                    Eigen::Ref<Eigen::MatrixXd> J);

// Jdot v at q and v of the state, rad/s^2 and m/s^2: the derivative of the twist by component, in
// these axes, is J vdot + Jdot v (MK 19; KHALIL 9.20 needs it). No allocation, no differences.
Twist<double> jacobian_rate(const State& state, const Frame& frame, Axes axes = Axes::frame);
// All of Jdot [6 x n_v] at q and v of the state, in these axes: what jacobian_rate() is with v (MK
// 19). Into a matrix without allocation.
Eigen::MatrixXd jacobian_derivative(const State& state, const Frame& frame,
                                    Axes axes = Axes::frame);
void jacobian_derivative(const State& state, const Frame& frame, Axes axes,
                         Eigen::Ref<Eigen::MatrixXd> Jdot);

// 1/2 sum V^T M V + 1/2 sum armature v^2. Links fixed to the world enter no energy.
double kinetic_energy(const State& state);
// -sum m g . c of the bodies that move, zero at the world's origin.
double potential_energy(const State& state);

}  // namespace torsor
