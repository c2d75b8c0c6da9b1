#pragma once
// Decompositions of dense matrices, for code that may allocate. They are compiled in a single file,
// because the Eigen templates for them compile very slowly.

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

namespace torsor {

// The decomposition A = vectors diag(values) vectors^T, with the values in ascending order.
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

// Returns the eigenvalues of a symmetric n x n matrix in ascending order. Returns nullopt if the
// iteration does not converge, for example because an entry is NaN.
std::optional<std::vector<double>> symmetric_eigenvalues(std::span<const double> matrix);
// Returns the ratio of the largest eigenvalue of a symmetric matrix to the smallest, or NaN if the
// iteration does not converge.
double symmetric_condition(const Eigen::MatrixXd& A);

// The singular value decomposition A = U diag(s) V^T of A [m x n], with s in descending order. In
// the thin form, U and V have min(m, n) columns. In the full form, they are square.
struct Svd {
  Eigen::MatrixXd U;
  Eigen::VectorXd s;
  Eigen::MatrixXd V;
};
Svd thin_svd(const Eigen::MatrixXd& A);
Svd full_svd(const Eigen::MatrixXd& A);
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

// Returns the lower triangular L with A = L L^T, or nullopt if A is not positive definite.
std::optional<Eigen::MatrixXd> cholesky(const Eigen::MatrixXd& A);

// Returns the factor R [min(m, n) x n] of a QR decomposition of A [m x n].
Eigen::MatrixXd qr_triangle(const Eigen::MatrixXd& A);
// Returns the absolute values of the pivots of a QR decomposition with column pivoting, in
// descending order.
Eigen::VectorXd qr_pivots(const Eigen::MatrixXd& A);

// Returns the solution X of A X = B, by elimination with partial pivoting. A is square and must be
// invertible.
Eigen::MatrixXd solve(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
// Returns A^-1, or nullopt if A is singular.
std::optional<Eigen::MatrixXd> inverse(const Eigen::MatrixXd& A);

}  // namespace torsor
