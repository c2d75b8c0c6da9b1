#include "torsor/constraints/sparse_delassus.hpp"

#include <algorithm>

namespace torsor {

void SparseDelassus::hold(const InverseInertia& inverse, size_t n_u,
                          const ActiveConstraints& constraints) {
  inverse_ = &inverse, n_u_ = n_u, constraints_ = &constraints;
  const std::span<const ConstraintRow> held = constraints.selected_rows();
  held_.assign(held.begin(), held.end());
  if (held.empty()) return;
  X_H_.setZero(Eigen::Index(n_u), Eigen::Index(held.size()));
  for (Eigen::Index h = 0; h < X_H_.cols(); ++h) {
    push(*held[size_t(h)].row, 1, X_H_.col(h).data());
    inverse.solve_half(X_H_.col(h).data());
  }
  G_H_.noalias() = X_H_.transpose().lazyProduct(X_H_);
  factor_.compute(G_H_);
}

void SparseDelassus::find_halves(std::span<const Row> rows) {
  halves_.clear();
  first_.assign(1, 0);
  by_index_.resize(n_u_);
  for (std::vector<Entry>& list : by_index_) list.clear();
  scratch_.resize(n_u_);
  for (size_t r = 0; r < rows.size(); ++r) {
    std::ranges::fill(scratch_, 0.0);
    push(rows[r], 1, scratch_.data());
    inverse_->solve_half(scratch_.data());
    for (size_t i = 0; i < n_u_; ++i) {
      if (scratch_[i] == 0) continue;
      halves_.push_back({int(i), scratch_[i]});
      by_index_[i].push_back({int(r), scratch_[i]});
    }
    first_.push_back(halves_.size());
  }
  if (held_.empty()) return;
  Z_.setZero(X_H_.cols(), Eigen::Index(rows.size()));
  for (Eigen::Index r = 0; r < Z_.cols(); ++r)
    for (size_t k = first_[size_t(r)]; k < first_[size_t(r) + 1]; ++k)
      Z_.col(r) += halves_[k].x * X_H_.row(halves_[k].index).transpose();
  factor_.matrixL().solveInPlace(Z_);
}

void SparseDelassus::evaluate(std::span<const Row> rows, std::span<const int> blocks) {
  find_halves(rows);
  row_start.assign(1, 0);
  column.clear();
  value.clear();
  sum_.assign(rows.size(), 0);
  is_touched_.assign(rows.size(), held_.empty() ? 0 : 1);
  for (size_t r = 0; r < rows.size(); ++r) {
    touched_.clear();
    const auto touch = [&](int s) {
      if (is_touched_[size_t(s)]) return;
      is_touched_[size_t(s)] = 1;
      touched_.push_back(s);
    };
    if (held_.empty()) {
      const auto [first, last] = std::ranges::equal_range(blocks, blocks[r]);
      for (auto each = first; each != last; ++each) touch(int(each - blocks.begin()));
    }
    for (size_t k = first_[r]; k < first_[r + 1]; ++k)
      for (const auto& [s, x] : by_index_[size_t(halves_[k].index)]) {
        touch(s);
        sum_[size_t(s)] += halves_[k].x * x;
      }
    const auto add = [&](int s) {
      double g = sum_[size_t(s)];
      if (!held_.empty()) g -= Z_.col(Eigen::Index(r)).dot(Z_.col(s));
      column.push_back(s);
      value.push_back(g);
      sum_[size_t(s)] = 0;
    };
    if (held_.empty()) {
      std::ranges::sort(touched_);
      for (const int s : touched_) {
        add(s);
        is_touched_[size_t(s)] = 0;
      }
    } else {
      for (size_t s = 0; s < rows.size(); ++s) add(int(s));
    }
    row_start.push_back(int(column.size()));
  }
}

size_t SparseDelassus::diagonal_index(int row) const {
  const auto first = column.begin() + row_start[size_t(row)],
             last = column.begin() + row_start[size_t(row) + 1];
  return size_t(std::lower_bound(first, last, row) - column.begin());
}

double SparseDelassus::diagonal(int row) const {
  return value[diagonal_index(row)];
}

bool SparseDelassus::is_immovable(int row) const {
  constexpr double rounding = 1e-10;
  double without_held = 0;
  for (size_t k = first_[size_t(row)]; k < first_[size_t(row) + 1]; ++k)
    without_held += halves_[k].x * halves_[k].x;
  return diagonal(row) <= rounding * without_held;
}

void SparseDelassus::respond(std::span<const double> f, std::span<double> out) {
  std::ranges::copy(f, out.begin());
  inverse_->solve(out.data());
  if (held_.empty()) return;
  forces_.resize(Eigen::Index(held_.size()));
  for (size_t h = 0; h < held_.size(); ++h)
    forces_[Eigen::Index(h)] = -along(*held_[h].row, out.data());
  factor_.solveInPlace(forces_);
  scratch_.resize(out.size());
  accelerate(*inverse_, held_, {forces_.data(), held_.size()}, scratch_);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = constraints_->given()[i] ? 0 : out[i] + scratch_[i];
  constraints_->project(out.data());
}

}  // namespace torsor
