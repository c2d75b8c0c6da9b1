#pragma once
// Comparisons of numbers with an explicit scale. There is no default scale: each comparison names
// the size relative to which a difference counts. A number that is not finite agrees with nothing.

#include <gtest/gtest.h>

#include <Eigen/Core>

namespace torsor::test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// The relative tolerance for independent solvers of the same equations.
inline constexpr double agreement = 1e-10;

// Checks that every entry of `actual` differs from `expected` by at most tolerance * scale. Vectors
// are matrices with one column.
testing::AssertionResult close(const Matrix& actual, const Matrix& expected, double scale,
                               double tolerance);

// Compares joint torques, bias, gravity or M. Every entry must agree to 1e-10 of the norm of the
// quantity in this state: 2-norm of a vector, Frobenius norm of a matrix. There is no absolute
// minimum of the tolerance, because the inertias of a small robot are small.
testing::AssertionResult agree(const Matrix& actual, const Matrix& expected);

// Returns the eigenvalues of a symmetric matrix in ascending order.
Vector eigenvalues(const Matrix& M);
// Returns the ratio of the largest to the smallest eigenvalue of the symmetric M.
double condition(const Matrix& M);

// Compares accelerations in the 2-norm. The relative tolerance is the larger of 1e-10 and 10
// cond(M) eps, because no algorithm can be more accurate than that.
testing::AssertionResult agree_acceleration(const Matrix& vdot, const Matrix& expected,
                                            const Matrix& M);

// Compares M^-1 in the Frobenius norm with the same tolerance. M is the mass matrix.
testing::AssertionResult agree_inverse(const Matrix& Minv, const Matrix& expected, const Matrix& M);

// Checks M vdot + b = tau to 1e-10 of the largest of the three terms. This tolerance does not grow
// with cond(M).
testing::AssertionResult satisfies_equation_of_motion(const Matrix& M, const Vector& vdot,
                                                      const Vector& b, const Vector& tau);

// Returns the order p of an error ~ h^p from the errors at h and h / 2.
double observed_order(double error_h, double error_half);

}  // namespace torsor::test
