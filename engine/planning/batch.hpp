#pragma once
// A whole trajectory as one linear map of its controls (RCFS 112).

#include <span>

#include "torsor/planning/discrete.hpp"

namespace torsor {

// S_u [n_x T x n_u (T - 1)] for T - 1 steps: (dx_1, .., dx_T) = S_u (du_1, .., du_{T-1}) with dx_1
// = 0. Block (t, s) is A_{t-1} .. A_{s+1} B_s where s < t, else 0.
Eigen::MatrixXd batch_response(std::span<const LinearStep> steps);

// A planar chain's S of absolute angles q = L x and their forces u = L^-T tau, in relative angles x
// and torques tau: L_x^-1 S L_u, with L [n x n] the lower triangle of ones in every block of n.
Eigen::MatrixXd relative_response(const Eigen::MatrixXd& S, Eigen::Index n);

}  // namespace torsor
