#include "support/agreement.hpp"
#include "torsor/base/linear_algebra.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::test {

namespace {
testing::AssertionResult same_size(const Matrix& a, const Matrix& b) {
  if (a.rows() == b.rows() && a.cols() == b.cols()) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << a.rows() << "x" << a.cols() << " against " << b.rows() << "x" << b.cols();
}
}  // namespace

testing::AssertionResult close(const Matrix& actual, const Matrix& expected, double scale,
                               double tolerance) {
  if (const auto same = same_size(actual, expected); !same) return same;
  for (Eigen::Index i = 0; i < actual.rows(); ++i)
    for (Eigen::Index j = 0; j < actual.cols(); ++j) {
      const double error = std::abs(actual(i, j) - expected(i, j));
      if (error <= tolerance * scale) continue;
      return testing::AssertionFailure()
             << "entry (" << i << ", " << j << ") is " << actual(i, j) << ", expected "
             << expected(i, j) << ": off by " << error / scale << " of the scale " << scale
             << ", allowed " << tolerance;
    }
  return testing::AssertionSuccess();
}

testing::AssertionResult agree(const Matrix& actual, const Matrix& expected) {
  return close(actual, expected, expected.norm(), agreement);
}

Vector eigenvalues(const Matrix& M) {
  const std::vector<double> values = symmetric_eigenvalues({M.data(), size_t(M.size())}).value();
  return Eigen::Map<const Vector>(values.data(), Eigen::Index(values.size()));
}

double condition(const Matrix& M) {
  const Vector values = eigenvalues(M);
  return values.maxCoeff() / values.minCoeff();
}

namespace {
testing::AssertionResult agree_up_to_condition(const char* what, const Matrix& actual,
                                               const Matrix& expected, const Matrix& M) {
  if (const auto same = same_size(actual, expected); !same) return same;
  const double allowed =
      std::max(agreement, 10 * condition(M) * std::numeric_limits<double>::epsilon());
  const double error = (actual - expected).norm() / expected.norm();
  if (error <= allowed) return testing::AssertionSuccess();
  return testing::AssertionFailure() << what << " off by " << error << " in the 2-norm, allowed "
                                     << allowed << " at cond(M) = " << condition(M);
}
}  // namespace

testing::AssertionResult agree_acceleration(const Matrix& vdot, const Matrix& expected,
                                            const Matrix& M) {
  return agree_up_to_condition("acceleration", vdot, expected, M);
}

testing::AssertionResult agree_inverse(const Matrix& Minv, const Matrix& expected,
                                       const Matrix& M) {
  return agree_up_to_condition("inverse mass matrix", Minv, expected, M);
}

testing::AssertionResult satisfies_equation_of_motion(const Matrix& M, const Vector& vdot,
                                                      const Vector& b, const Vector& tau) {
  const Vector inertial = M * vdot;
  const double scale = std::max({inertial.norm(), b.norm(), tau.norm()});
  return close(inertial + b, tau, scale, agreement);
}

double observed_order(double error_h, double error_half) {
  return std::log2(error_h / error_half);
}

}  // namespace torsor::test
