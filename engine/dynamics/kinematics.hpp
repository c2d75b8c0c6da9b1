#pragma once
// Poses, Jacobians and energies from a State.

#include <Eigen/Core>

#include "torsor/dynamics/state.hpp"

// Whoever disagrees with the libraries here would corrupt the heap.
static_assert(EIGEN_DEFAULT_ALIGN_BYTES == 16 && EIGEN_MAX_STATIC_ALIGN_BYTES == 16,
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

// V_WF_F of one frame.
Twist<double> frame_twist(const State& state, const Frame& frame);

// J [6 x n_v], angular rows first: V_WF_F = J v, the twist of the frame in its own axes about its own origin
// (MK 19).
Eigen::MatrixXd frame_jacobian(const State& state, const Frame& frame);

// 1/2 sum V^T M V + 1/2 sum armature v^2. Links fixed to the world enter no energy.
double kinetic_energy(const State& state);
// -sum m g . c of the bodies that move, zero at the world's origin.
double potential_energy(const State& state);

}  // namespace torsor
