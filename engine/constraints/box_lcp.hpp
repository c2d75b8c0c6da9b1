#pragma once
// A linear complementarity problem with bounds. It determines which rows bounded forces keep at
// rest, and which rows move because their force has reached a bound.

#include <Eigen/Cholesky>
#include <span>

#include "torsor/handles/constraint_solver.hpp"

namespace torsor {

// The bound at which an entry of lambda is, or none.
enum class Bound : signed char { lower = -1, none = 0, upper = 1 };

// Solves for lambda and w = G lambda + c. Each entry satisfies one of three conditions:
//   lower <= lambda <= upper, w = 0    lambda = lower, w >= 0      lambda = upper, w <= 0
// `at` receives the Bound of each entry, which is Bound::none for the first condition. G = J M^-1
// J^T is symmetric and positive semidefinite. The solution minimises
//   1/2 lambda^T G lambda + c^T lambda
// within the bounds, so w is unique. If w is zero up to rounding, its sign is meaningless. Uses
// Murty's principal pivoting with the smallest index, which terminates for a positive definite G.
// Returns false after 50 n pivots without a solution.
bool solve_box_lcp(const Eigen::MatrixXd& G, const Eigen::VectorXd& c,
                   std::span<const double> lower, std::span<const double> upper,
                   Eigen::VectorXd& lambda, std::span<Bound> at);

// Determines from the solution lambda [n] of a constraint solver which rows multipliers within
// their bounds keep at w = 0 (Bound::none), and which rows move away from a bound. A row at its
// bound whose w is zero up to rounding errors and the residual of the solver does not move:
// redundant rows may hold it. at: [n].
void find_bounds(const ConstraintProblem& problem, std::span<const double> lambda, double residual,
                 std::span<Bound> at);

// Returns whether all entries of w = G lambda + c are zero up to rounding.
bool all_at_rest(const Eigen::MatrixXd& G, const Eigen::VectorXd& c, const Eigen::VectorXd& lambda);

// Computes the factors L D L^T of a positive semidefinite G. If a pivot is zero up to rounding,
// some rows are redundant. The diagonal of G is then scaled by 1 plus a bound of the rounding
// errors. The scaling changes the individual forces of redundant rows, but not their total effect.
// Does not allocate unless the size of G changes.
void factor(Eigen::MatrixXd& G, Eigen::LDLT<Eigen::MatrixXd>& out);

}  // namespace torsor
