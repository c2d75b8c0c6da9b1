#include "torsor/model/eigenvalues.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace torsor {

std::optional<std::vector<double>> symmetric_eigenvalues(std::span<const double> matrix) {
  const auto n = Eigen::Index(std::lround(std::sqrt(double(matrix.size()))));
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::Map<const Eigen::MatrixXd>(matrix.data(), n, n), Eigen::EigenvaluesOnly);
  if (eigen.info() != Eigen::Success) return std::nullopt;
  return std::vector<double>(eigen.eigenvalues().begin(), eigen.eigenvalues().end());
}

}  // namespace torsor
