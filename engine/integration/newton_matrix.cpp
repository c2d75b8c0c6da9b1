#include "torsor/integration/newton_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor {

using Eigen::MatrixXd, Eigen::VectorXd;

NewtonMatrix::NewtonMatrix(System& system)
    : system_(system),
      J_(system.layout().size(), system.layout().first_work()),
      factor_(J_.cols()),
      solution_(J_.cols()),
      shifted_(size_t(J_.rows())),
      rate_(shifted_) {}

bool NewtonMatrix::differentiate(double t, const double* z, const double* zdot, long long& rates) {
  if (system_.jacobian(t, z, J_.data())) return true;
  const Eigen::Index n = J_.rows();
  std::copy_n(z, n, shifted_.data());
  for (Eigen::Index j = 0; j < J_.cols(); ++j) {
    const double step =
        std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(z[j]));
    shifted_[size_t(j)] = z[j] + step;
    ++rates;
    if (!system_.rate(t, shifted_.data(), 0, rate_.data())) return false;
    const double taken = shifted_[size_t(j)] - z[j];
    for (Eigen::Index i = 0; i < n; ++i) J_(i, j) = (rate_[size_t(i)] - zdot[i]) / taken;
    shifted_[size_t(j)] = z[j];
  }
  return true;
}

bool NewtonMatrix::factorise(double gamma) {
  gamma_ = gamma;
  matrix_ = -gamma * J_.topRows(J_.cols());
  matrix_.diagonal().array() += 1;
  factor_.compute(matrix_);
  return matrix_.allFinite() && factor_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0;
}

void NewtonMatrix::solve(double* r) {
  Eigen::Map<VectorXd> y(r, J_.cols()), w(r + J_.cols(), J_.rows() - J_.cols());
  solution_.noalias() = factor_.solve(y);
  y = solution_;
  w.noalias() += gamma_ * (J_.bottomRows(w.size()) * y);
}

}  // namespace torsor
