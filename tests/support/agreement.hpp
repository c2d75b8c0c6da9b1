#pragma once
// When two numbers are the same. There is no default scale: a comparison says what its numbers are
// small or large against, and a number that is not finite agrees with nothing.

#include <gtest/gtest.h>

#include <Eigen/Core>

namespace torsor::test {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Independent solvers of the same equations agree to this part of the size of the result.
inline constexpr double agreement = 1e-10;

// Every entry of actual is within tolerance * scale of that of expected. Vectors are matrices of
// one column.
testing::AssertionResult close(const Matrix& actual, const Matrix& expected, double scale,
                               double tolerance);

// Joint torques, bias, gravity, M: every entry to 1e-10 of the whole quantity in this state (2-norm
// of a vector, Frobenius norm of a matrix). No floor: the inertias of a small robot are small.
testing::AssertionResult agree(const Matrix& actual, const Matrix& expected);

// Largest over smallest eigenvalue of the symmetric M.
// Returns the eigenvalues of a symmetric matrix in ascending order.
Vector eigenvalues(const Matrix& M);
double condition(const Matrix& M);

// Accelerations: in the 2-norm, to the larger of 1e-10 and 10 cond(M) eps of expected. A good
// algorithm cannot do better.
testing::AssertionResult agree_acceleration(const Matrix& vdot, const Matrix& expected,
                                            const Matrix& M);

// M^-1, of the model whose mass matrix is M: in the Frobenius norm, to as much.
testing::AssertionResult agree_inverse(const Matrix& Minv, const Matrix& expected, const Matrix& M);

// M vdot + b = tau, to 1e-10 of the largest of the three terms: what cond(M) does not soften.
testing::AssertionResult satisfies_equation_of_motion(const Matrix& M, const Vector& vdot,
                                                      const Vector& b, const Vector& tau);

// The order p of errors ~ h^p from the errors at h and h / 2.
double observed_order(double error_h, double error_half);

}  // namespace torsor::test
