#pragma once
// Decompositions of dense matrices, for code that may allocate. They are compiled in one file,
// because Eigen's templates for them are the slowest to compile.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

namespace torsor {

// A = vectors diag(values) vectors^T. The values are in ascending order.
struct SymmetricEigen {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;  // orthonormal columns
  bool converged;           // false if the iteration failed, for example because an entry is NaN
};
struct SymmetricEigen3 {
  Eigen::Vector3d values;
  Eigen::Matrix3d vectors;
  bool converged;
};
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& A);
SymmetricEigen3 symmetric_eigen3(const Eigen::Matrix3d& A);

// Returns the eigenvalues of a symmetric n x n matrix in ascending order, or nothing if the
// iteration does not converge, for example because an entry is NaN.
std::optional<std::vector<double>> symmetric_eigenvalues(std::span<const double> matrix);
// Returns the ratio of the largest eigenvalue to the smallest, or NaN if the iteration does not
// converge.
double symmetric_condition(const Eigen::MatrixXd& A);

// A = U diag(s) V^T, A [m x n]. The singular values s are in descending order. Thin factors have
// min(m, n) columns, full ones are square.
struct Svd {
  Eigen::MatrixXd U;
  Eigen::VectorXd s;
  Eigen::MatrixXd V;
};
Svd thin_svd(const Eigen::MatrixXd& A);
Svd full_svd(const Eigen::MatrixXd& A);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

// Returns the lower triangular L with A = L L^T, or nothing if A is not positive definite.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& A);

// Returns the R [min(m, n) x n] of a QR decomposition of A [m x n].
Eigen::MatrixXd qr_triangle(const Eigen::MatrixXd& A);
// Returns the absolute pivots of a QR decomposition with column pivoting, in descending order.
Eigen::VectorXd qr_pivots(const Eigen::MatrixXd& A);

// Returns the solution X of A X = B, with partial pivoting. A is square and must be invertible.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
// Returns A^-1, or nothing if A is singular.
std::optional<Eigen::MatrixXd> inverse(const Eigen::MatrixXd& A);

}  // namespace torsor
