#pragma once
// Absolute angles of a mechanism whose joints rotate about parallel axes: the angle of each link
// relative to the base (RCFS 109), in place of the angles of the joints.

#include "torsor/model/model.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

// Returns L [n_v x n_v], which converts rates of the joints to rates of absolute coordinates: v_abs
// = L v. The forces of the absolute coordinates are u = L^-T tau. The absolute coordinate of a dof
// that rotates is the sum of the rotations on the path to its link, about its axis: L_ij is 1, or
// -1 if the axes are opposite. A dof that translates is its own absolute coordinate. For a planar
// chain, L is the lower triangle of ones.
// Throws Error if joints on one path rotate about axes that are not parallel.
Eigen::MatrixXd absolute_angles(const Model& model);

// Converts a linearised step to absolute coordinates: A = L A L^-1 with L for both halves of dx,
// and B = L B L^T.
LinearStep in_absolute_angles(const LinearStep& step, const Eigen::MatrixXd& L);

}  // namespace torsor
