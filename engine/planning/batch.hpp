#pragma once
// The response of a complete trajectory to its controls as one linear map (RCFS 112), and the
// controls that minimise a cost by it.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "torsor/planning/cost.hpp"
#include "torsor/planning/discrete.hpp"

namespace torsor {

// A motion of T - 1 steps and its linearisation.
struct LinearMotion {
  std::vector<Eigen::VectorXd> x;  // [T]
  std::vector<LinearStep> steps;   // [T - 1]
};
// Linearises the motion from x_1 over a number of steps. u(t): controls of step t, from 0. Throws
// Error if a step cannot be computed.
LinearMotion linearise(DiscreteDynamics& dynamics, const Eigen::VectorXd& x_1, size_t steps,
                       const std::function<const Eigen::VectorXd&(size_t)>& u);

// The response of a trajectory of T - 1 steps to its first state and its controls:
//   (dx_1, .., dx_T) = S_x dx_1 + S_u (du_1, .., du_{T-1})
// Returns S_u [n_x T x n_u (T - 1)]. Block (t, s) is A_{t-1} .. A_{s+1} B_s for s < t, otherwise 0.
Eigen::MatrixXd batch_response(std::span<const LinearStep> steps);
// Returns S_x [n_x T x n_x]. Block t is A_{t-1} .. A_1.
Eigen::MatrixXd free_response(std::span<const LinearStep> steps);

// Converts the response S to relative angles x and torques tau. S refers to absolute angles q = L x
// and the forces u = L^-T tau of these angles (absolute_angles.hpp). Returns L_x^-1 S L_u. L_x and
// L_u are block-diagonal: L_x contains L in every block of n rows, and L_u contains L^-T in every
// block of n columns.
Eigen::MatrixXd relative_response(const Eigen::MatrixXd& S, const Eigen::MatrixXd& L);

// A change of all controls.
struct BatchStep {
  Eigen::VectorXd du;  // [n_u (T - 1)]
  // The model of the cost changes by alpha slope + alpha^2/2 curvature for alpha du.
  double slope, curvature;
};
// Returns the du that minimises the second-order model of the cost of a trajectory, with dx = S_u
// du. The normal equations are H du = -g with
//   g = l_u + S_u^T l_x,   H = l_uu + l_ux S_u + S_u^T l_ux^T + S_u^T (l_xx + mu) S_u
// Here l_u, l_x, .. contain the models of all steps and of the last state. mu >= 0 penalises
// changes of the states. `curvature` does not include it. Returns nullopt if H is not positive
// definite. models: [T]. working is called for every step and may throw to stop the computation.
std::optional<BatchStep> minimise_in_batch(std::span<const LinearStep> steps,
                                           std::span<const CostModel> models, double mu,
                                           const std::function<void()>& working);

}  // namespace torsor
