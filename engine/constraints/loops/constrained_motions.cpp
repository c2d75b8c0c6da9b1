#include "torsor/constraints/loops/constrained_motions.hpp"

#include <Eigen/LU>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>

#include "torsor/constraints/independent_rows.hpp"

namespace torsor {

namespace {

Eigen::Index rank_of(const Eigen::VectorXd& singular_values) {
  return (singular_values.array() > least_independent_part).count();
}

Eigen::VectorXd singular_values_of(const Eigen::MatrixXd& A) {
  return Eigen::JacobiSVD<Eigen::MatrixXd>(A).singularValues();
}

// Returns the index in `from` of the first row with a part of at least a tenth of the largest one,
// or -1 if all parts are below least_independent_part. Rows whose flag in `used` is set are left
// out.
int next_row(const Eigen::MatrixXd& parts, std::span<const int> from, std::vector<char>& used) {
  double largest = least_independent_part;
  for (const int dof : from)
    if (!used[size_t(dof)]) largest = std::max(largest, parts.row(dof).norm());
  for (const int dof : from)
    if (!used[size_t(dof)] &&
        parts.row(dof).norm() > std::max(0.1 * largest, least_independent_part))
      return dof;
  return -1;
}

}  // namespace

bool ConstrainedMotions::decompose(const ConstraintRows& rows, const Eigen::MatrixXd& M) {
  const Eigen::Index n = M.rows(), m = rows.size();
  llt_.compute(M);
  if (llt_.info() != Eigen::Success) return false;
  const Eigen::MatrixXd inverse =
      llt_.matrixL().solve(Eigen::MatrixXd::Identity(n, n).eval());  // L^-1
  unit_ = inverse.colwise().norm();
  B_ = inverse * rows.jacobian().transpose();
  scale_.resize(m);
  for (Eigen::Index r = 0; r < m; ++r) {
    const double length = B_.col(r).norm();
    scale_[r] = length > 0 ? 1 / length : 0;
    B_.col(r) *= scale_[r];
  }
  Eigen::MatrixXd free = Eigen::MatrixXd::Identity(n, n);  // U_2
  rank_ = 0;
  sigma_.resize(0);
  if (m > 0) {
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(B_, Eigen::ComputeFullU | Eigen::ComputeThinV);
    sigma_ = svd.singularValues();
    rank_ = rank_of(sigma_);
    U_ = svd.matrixU().leftCols(rank_);
    W_ = svd.matrixV().leftCols(rank_);
    free = svd.matrixU().rightCols(n - rank_);
  }
  Z_ = inverse.transpose() * free;
  return true;
}

std::vector<Eigen::Index> ConstrainedMotions::redundant_rows(const ConstraintRows& rows) const {
  std::vector<Eigen::Index> out;
  for (const ConstraintGroup& group : rows.groups()) {
    Eigen::MatrixXd others = B_;
    others.middleCols(group.first, group.size).setZero();
    out.push_back(group.size + rank_of(singular_values_of(others)) - rank_);
  }
  return out;
}

Eigen::VectorXd ConstrainedMotions::solve(const Eigen::VectorXd& y) const {
  if (rank_ == 0) return Eigen::VectorXd::Zero(Z_.rows());
  const Eigen::VectorXd part = W_.transpose() * (scale_.asDiagonal() * y);
  return llt_.matrixU().solve(U_ * part.cwiseQuotient(sigma_.head(rank_)));
}

Eigen::VectorXd ConstrainedMotions::multipliers(const Eigen::VectorXd& f) const {
  if (rank_ == 0) return Eigen::VectorXd::Zero(scale_.size());
  const Eigen::VectorXd part = U_.transpose() * Eigen::VectorXd(llt_.matrixL().solve(f));
  return scale_.asDiagonal() * (W_ * part.cwiseQuotient(sigma_.head(rank_)));
}

// Gram-Schmidt with pivoting of the rows of Z.
std::vector<int> ConstrainedMotions::select_independent(std::span<const int> preferred) const {
  std::vector<int> out, all;
  for (int dof = 0; dof < Z_.rows(); ++dof) all.push_back(dof);
  std::vector<char> used(all.size(), 0);
  Eigen::MatrixXd parts = unit_.cwiseInverse().asDiagonal() * Z_;
  while (Eigen::Index(out.size()) < mobility()) {
    int dof = next_row(parts, preferred, used);
    if (dof < 0) dof = next_row(parts, all, used);
    if (dof < 0) break;
    used[size_t(dof)] = 1;
    out.push_back(dof);
    const Eigen::VectorXd direction = parts.row(dof).normalized();
    parts -= parts * direction * direction.transpose();
  }
  std::ranges::sort(out);
  return out;
}

bool ConstrainedMotions::are_independent(std::span<const int> dofs) const {
  if (Eigen::Index(dofs.size()) != mobility()) return false;
  if (dofs.empty()) return true;
  Eigen::MatrixXd parts(mobility(), mobility());
  for (size_t k = 0; k < dofs.size(); ++k) parts.row(Eigen::Index(k)) = participation(dofs[k]);
  return rank_of(singular_values_of(parts)) == mobility();
}

Eigen::MatrixXd ConstrainedMotions::transfer(std::span<const int> independent) const {
  const Eigen::Index k = mobility();
  if (k == 0) return Z_;
  Eigen::MatrixXd own(k, k);
  for (Eigen::Index i = 0; i < k; ++i) own.row(i) = participation(independent[size_t(i)]);
  Eigen::MatrixXd T = own.transpose().fullPivLu().solve(Z_.transpose()).transpose();
  for (Eigen::Index i = 0; i < k; ++i) T.col(i) /= unit_[independent[size_t(i)]];
  for (Eigen::Index i = 0; i < k; ++i) {
    T.row(independent[size_t(i)]).setZero();
    T(independent[size_t(i)], i) = 1;
  }
  return T;
}

}  // namespace torsor
