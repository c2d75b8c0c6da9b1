#pragma once
// The response of a complete trajectory to its controls as one linear map (RCFS 112).

#include <span>

#include "torsor/planning/discrete.hpp"

namespace torsor {

// Returns S_u [n_x T x n_u (T - 1)] for T - 1 steps: (dx_1, .., dx_T) = S_u (du_1, .., du_{T-1})
// with dx_1 = 0. Block (t, s) is A_{t-1} .. A_{s+1} B_s for s < t, otherwise 0.
Eigen::MatrixXd batch_response(std::span<const LinearStep> steps);

// Converts the response S of a planar chain of n joints to relative angles x and torques tau. S
// refers to absolute angles q = L x and the forces u = L^-T tau of these angles, where L [n x n] is
// the lower triangle of ones. Returns L_x^-1 S L_u. L_x and L_u are block-diagonal: L_x contains L
// in every block of n rows, and L_u contains L^-T in every block of n columns.
Eigen::MatrixXd relative_response(const Eigen::MatrixXd& S, Eigen::Index n);

}  // namespace torsor
