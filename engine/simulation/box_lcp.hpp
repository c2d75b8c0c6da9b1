#pragma once
// Forces with bounds that keep something from moving, or let it go at a bound.

#include <Eigen/Cholesky>
#include <span>

namespace torsor {

// lambda with  w = G lambda + c  and for each entry one of
//   lower < lambda < upper, w = 0      lambda = lower, w >= 0      lambda = upper, w <= 0
// G symmetric and positive semidefinite (J M^-1 J^T). This is the minimum of 1/2 lambda^T G lambda
// + c^T lambda in a box, so w is unique; where it is 0 to rounding it has no sign. Murty's
// principal pivoting with the least index, which ends for a positive definite G. False where it has
// not ended after 50 n pivots.
enum class Bound : signed char { lower = -1, none = 0, upper = 1 };
bool solve_box_lcp(const Eigen::MatrixXd& G, const Eigen::VectorXd& c,
                   std::span<const double> lower, std::span<const double> upper,
                   Eigen::VectorXd& lambda, std::span<Bound> at);

// Whether w = G lambda + c is zero to rounding.
bool all_still(const Eigen::MatrixXd& G, const Eigen::VectorXd& c, const Eigen::VectorXd& lambda);

// L D L^T of a positive semidefinite G. Where a pivot is within rounding of zero, rows are
// redundant: then a multiple of rounding is added to the diagonal first, which changes what the
// rows share among them, not what they do. No allocation where the size stays.
void factor(Eigen::MatrixXd& G, Eigen::LDLT<Eigen::MatrixXd>& out);

}  // namespace torsor
