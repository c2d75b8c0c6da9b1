#include "torsor/constraints/sparse_delassus.hpp"

#include <algorithm>
#include <numeric>

namespace torsor {

void SparseDelassus::hold(const InverseInertia& inverse, size_t n_u,
                          const ActiveConstraints& constraints) {
  inverse_ = &inverse, n_u_ = n_u, constraints_ = &constraints;
  group_held_rows(constraints.selected_rows());
  for (size_t k = 0; k < n_groups_; ++k) {
    Group& group = groups_[k];
    group.G.setZero(group.size, group.size);
  }
  for (const std::vector<Term>& rows : held_index_)
    for (const auto& [h, x] : rows) {
      Group& group = groups_[size_t(group_[size_t(h)])];
      for (const auto& [i, y] : rows) group.G(h - group.first, i - group.first) += x * y;
    }
  for (size_t k = 0; k < n_groups_; ++k) groups_[k].factor.compute(groups_[k].G);
}

// Sets held_ to the held rows, group after group, and held_index_ to their components.
void SparseDelassus::group_held_rows(std::span<const ConstraintRow> held) {
  for (std::vector<Term>& rows : held_index_) rows.clear();
  held_.clear();
  n_groups_ = 0;
  if (held.empty()) return;
  held_index_.resize(std::max(held_index_.size(), n_u_));
  sets_.reset(held.size());
  for (size_t h = 0; h < held.size(); ++h) {
    held_halves_.clear();
    inverse_->append_half(*held[h].row, held_halves_);
    for (const auto& [index, x] : held_halves_) {
      std::vector<Term>& rows = held_index_[size_t(index)];
      if (!rows.empty()) sets_.merge(int(h), rows.back().index);
      rows.push_back({int(h), x});
    }
  }
  place_.resize(held.size());
  for (size_t h = 0; h < held.size(); ++h) {
    if (sets_.find(int(h)) != int(h)) continue;
    if (groups_.size() == n_groups_) groups_.emplace_back();
    Group& group = groups_[n_groups_++];
    group.first = int(held_.size());
    for (size_t i = h; i < held.size(); ++i)
      if (sets_.find(int(i)) == int(h)) {
        place_[i] = int(held_.size());
        held_.push_back(held[i]);
      }
    group.size = int(held_.size()) - group.first;
  }
  for (std::vector<Term>& rows : held_index_)
    for (Term& row : rows) row.index = place_[size_t(row.index)];
  group_.resize(held.size());
  for (size_t k = 0; k < n_groups_; ++k)
    std::fill_n(group_.begin() + groups_[k].first, groups_[k].size, int(k));
  z_.setZero(Eigen::Index(held.size()));
}

// Appends the components of Z of the row whose components of X begin at `first`.
void SparseDelassus::append_held(size_t first) {
  if (held_.empty()) return;
  touched_groups_.clear();
  for (size_t k = first; k < halves_.size(); ++k)
    for (const auto& [h, x] : held_index_[size_t(halves_[k].index)]) {
      z_[h] += x * halves_[k].factor;
      const int group = group_[size_t(h)];
      if (std::ranges::find(touched_groups_, group) == touched_groups_.end())
        touched_groups_.push_back(group);
    }
  std::ranges::sort(touched_groups_);
  for (const int k : touched_groups_) {
    const Group& group = groups_[size_t(k)];
    auto z = z_.segment(group.first, group.size);
    group.factor.matrixL().solveInPlace(z);
    for (int i = 0; i < group.size; ++i) halves_.push_back({int(n_u_) + group.first + i, z[i]});
    z.setZero();
  }
}

// Appends the components of a row, and adds them to by_index_.
void SparseDelassus::append_components(const Row& row) {
  const int r = int(first_.size()) - 1;
  inverse_->append_half(row, halves_);
  append_held(first_.back());
  for (size_t k = first_.back(); k < halves_.size(); ++k)
    by_index_[size_t(halves_[k].index)].push_back({r, halves_[k].factor});
  first_.push_back(halves_.size());
}

// by_index_ contains only the earlier rows while a row is evaluated.
void SparseDelassus::evaluate(std::span<const Row> rows, std::span<const int> blocks) {
  halves_.clear();
  first_.assign(1, 0);
  by_index_.resize(std::max(by_index_.size(), n_u_ + held_.size()));
  for (std::vector<Term>& list : by_index_) list.clear();
  lower_.clear();
  lower_end_.clear();
  sum_.assign(rows.size(), 0);
  compliance_.assign(rows.size(), 0);
  is_touched_.assign(rows.size(), 0);
  size_t block = 0;  // first row of the block
  for (size_t r = 0; r < rows.size(); ++r) {
    append_components(rows[r]);
    touched_.clear();
    const auto touch = [&](int s) {
      if (is_touched_[size_t(s)]) return;
      is_touched_[size_t(s)] = 1;
      touched_.push_back(s);
    };
    if (blocks[r] != blocks[block]) block = r;
    for (size_t s = block; s <= r; ++s) touch(int(s));
    for (size_t k = first_[r]; k < first_[r + 1]; ++k) {
      const bool is_held = size_t(halves_[k].index) >= n_u_;
      const double x = is_held ? -halves_[k].factor : halves_[k].factor;
      for (const auto& [s, y] : by_index_[size_t(halves_[k].index)]) {
        touch(s);
        sum_[size_t(s)] += x * y;
      }
    }
    std::ranges::sort(touched_);
    for (const int s : touched_) {
      lower_.push_back({s, sum_[size_t(s)]});
      sum_[size_t(s)] = 0;
      is_touched_[size_t(s)] = 0;
    }
    lower_end_.push_back(int(lower_.size()));
  }
  mirror();
}

// Sets G from its lower triangle.
void SparseDelassus::mirror() {
  const size_t n = lower_end_.size();
  row_start.assign(n + 1, 0);
  for (size_t r = 0, k = 0; r < n; ++r)
    for (; k < size_t(lower_end_[r]); ++k) {
      ++row_start[r + 1];
      if (const size_t s = size_t(lower_[k].index); s != r) ++row_start[s + 1];
    }
  std::partial_sum(row_start.begin(), row_start.end(), row_start.begin());
  column.resize(size_t(row_start.back()));
  value.resize(column.size());
  next_.assign(row_start.begin(), row_start.end());
  const auto put = [&](size_t row, int at, double g) {
    const size_t k = size_t(next_[row]++);
    column[k] = at, value[k] = g;
  };
  for (size_t r = 0, k = 0; r < n; ++r)
    for (; k < size_t(lower_end_[r]); ++k) {
      const auto& [s, g] = lower_[k];
      put(r, s, g);
      if (size_t(s) != r) put(size_t(s), int(r), g);
    }
}

HalfRows SparseDelassus::half_rows() {
  node_.resize(n_u_);
  for (size_t k = 0; k < n_u_; ++k) node_[k] = inverse_->block_of(int(k));
  return {first_, halves_, compliance_, node_};
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
    if (size_t(halves_[k].index) < n_u_) without_held += halves_[k].factor * halves_[k].factor;
  return diagonal(row) <= rounding * without_held;
}

void SparseDelassus::respond(std::span<const double> f, std::span<double> out) {
  std::ranges::copy(f, out.begin());
  inverse_->solve(out.data());
  if (held_.empty()) return;
  forces_.resize(Eigen::Index(held_.size()));
  for (size_t h = 0; h < held_.size(); ++h)
    forces_[Eigen::Index(h)] = -along(*held_[h].row, out.data());
  for (size_t k = 0; k < n_groups_; ++k) {
    auto forces = forces_.segment(groups_[k].first, groups_[k].size);
    groups_[k].factor.solveInPlace(forces);
  }
  scratch_.resize(out.size());
  accelerate(*inverse_, held_, {forces_.data(), held_.size()}, scratch_);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = constraints_->given()[i] ? 0 : out[i] + scratch_[i];
  constraints_->project(out.data());
}

}  // namespace torsor
