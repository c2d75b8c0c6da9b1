#include "torsor/base/linear_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

SymmetricEigen symmetric_eigen(const Matrix& A) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

SymmetricEigen3 symmetric_eigen3(const Eigen::Matrix3d& A) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> eigen(A);
  return {eigen.eigenvalues(), eigen.eigenvectors(), eigen.info() == Eigen::Success};
}

std::optional<std::vector<double>> symmetric_eigenvalues(std::span<const double> matrix) {
  const auto n = Eigen::Index(std::lround(std::sqrt(double(matrix.size()))));
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Eigen::Map<const Matrix>(matrix.data(), n, n),
                                                    Eigen::EigenvaluesOnly);
  if (eigen.info() != Eigen::Success) return std::nullopt;
  return std::vector<double>(eigen.eigenvalues().begin(), eigen.eigenvalues().end());
}

double symmetric_condition(const Matrix& A) {
  const auto values = symmetric_eigenvalues({A.data(), size_t(A.size())});
  return values ? values->back() / values->front() : std::numeric_limits<double>::quiet_NaN();
}

namespace {

Svd svd(const Matrix& A, unsigned factors) {
  const Eigen::JacobiSVD<Matrix> of(A, factors);
  return {of.matrixU(), of.singularValues(), of.matrixV()};
}

}  // namespace

Svd thin_svd(const Matrix& A) {
  return svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
}
Svd full_svd(const Matrix& A) {
  return svd(A, Eigen::ComputeFullU | Eigen::ComputeFullV);
}
Vector singular_values(const Matrix& A) {
  return Eigen::JacobiSVD<Matrix>(A).singularValues();
}

std::optional<Matrix> cholesky(const Matrix& A) {
  const Eigen::LLT<Matrix> factor(A);
  if (factor.info() != Eigen::Success) return std::nullopt;
  return factor.matrixL();
}

Matrix qr_triangle(const Matrix& A) {
  const Eigen::HouseholderQR<Matrix> qr(A);
  return qr.matrixQR().topRows(std::min(A.rows(), A.cols())).triangularView<Eigen::Upper>();
}

Vector qr_pivots(const Matrix& A) {
  return Eigen::ColPivHouseholderQR<Matrix>(A).matrixQR().diagonal().cwiseAbs();
}

Matrix solve(const Matrix& A, const Matrix& B) {
  return Eigen::PartialPivLU<Matrix>(A).solve(B);
}

std::optional<Matrix> inverse(const Matrix& A) {
  const Eigen::FullPivLU<Matrix> factor(A);
  if (!factor.isInvertible()) return std::nullopt;
  return factor.inverse();
}

}  // namespace torsor
