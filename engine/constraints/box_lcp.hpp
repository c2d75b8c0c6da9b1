#pragma once
// A box-constrained linear complementarity problem: bounded forces that keep rows at rest, or reach
// a bound and let them move.

#include <Eigen/Cholesky>
#include <span>

namespace torsor {

// Solves for lambda with w = G lambda + c, where each entry satisfies one of
//   lower < lambda < upper, w = 0      lambda = lower, w >= 0      lambda = upper, w <= 0
// G = J M^-1 J^T is symmetric and positive semidefinite. The solution minimises
//   1/2 lambda^T G lambda + c^T lambda
// in the box, so w is unique. Where w is 0 to rounding, its sign is meaningless.
// Uses Murty's principal pivoting with the smallest index, which terminates for a positive definite
// G. Returns false after 50 n pivots without a solution.
enum class Bound : signed char { lower = -1, none = 0, upper = 1 };
bool solve_box_lcp(const Eigen::MatrixXd& G, const Eigen::VectorXd& c,
                   std::span<const double> lower, std::span<const double> upper,
                   Eigen::VectorXd& lambda, std::span<Bound> at);

// Returns whether w = G lambda + c is zero to rounding.
bool all_still(const Eigen::MatrixXd& G, const Eigen::VectorXd& c, const Eigen::VectorXd& lambda);

// Computes the factors L D L^T of a positive semidefinite G. If a pivot is within rounding of zero,
// some rows are redundant. The diagonal of G is then scaled by 1 plus a bound of the rounding
// errors. This changes how redundant rows share their forces, but not their total effect.
// Does not allocate while the size stays the same.
void factor(Eigen::MatrixXd& G, Eigen::LDLT<Eigen::MatrixXd>& out);

}  // namespace torsor
