#include "torsor/constraints/independent_rows.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace torsor {

// Cholesky decomposition with the largest remaining diagonal entry as pivot.
void IndependentRows::select(Eigen::MatrixXd& G, size_t preferred) {
  const Eigen::Index n = G.rows();
  column_ = G.diagonal().cwiseMax(0).cwiseSqrt();
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      G(i, j) = column_(i) > 0 && column_(j) > 0 ? G(i, j) / (column_(i) * column_(j)) : 0;
  rows_.clear();
  is_left_.assign(size_t(n), 1);
  for (const auto& [first, last] :
       {std::pair<Eigen::Index, Eigen::Index>{0, preferred}, {preferred, n}})
    for (;;) {
      Eigen::Index pivot = -1;
      for (Eigen::Index i = first; i < last; ++i)
        if (is_left_[size_t(i)] && (pivot < 0 || G(i, i) > G(pivot, pivot))) pivot = i;
      if (pivot < 0 || G(pivot, pivot) <= least_independent_part * least_independent_part) break;
      is_left_[size_t(pivot)] = 0;
      rows_.push_back(int(pivot));
      column_ = G.col(pivot) / std::sqrt(G(pivot, pivot));
      G.noalias() -= column_ * column_.transpose();
    }
  std::ranges::sort(rows_);
}

Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& G, const Eigen::VectorXd& b) {
  if (b.size() == 0) return b;
  const Eigen::VectorXd scale =
      G.diagonal().unaryExpr([](double g) { return g > 0 ? 1 / std::sqrt(g) : 0; });
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(scale.asDiagonal() * G * scale.asDiagonal()));
  const double least = least_independent_part * least_independent_part;
  const Eigen::VectorXd inverse =
      eigen.eigenvalues().unaryExpr([&](double s) { return s > least ? 1 / s : 0; });
  return scale.asDiagonal() *
         (eigen.eigenvectors() *
          inverse.cwiseProduct(eigen.eigenvectors().transpose() * (scale.asDiagonal() * b)));
}

}  // namespace torsor
