#include "torsor/constraints/inverse_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "torsor/constraints/disjoint_sets.hpp"

namespace torsor {

namespace {

// Calls visit(i, j) for each pair of dof of which one joint is on the path from the other to the
// world: M_ij may be nonzero. The body of i is that of j, or moves with it.
void for_each_pair_on_path(const Model& model, const auto& visit) {
  for (size_t body = 1; body < size_t(model.n_body); ++body)
    for (size_t other = body; other > 0; other = size_t(model.parent[other]))
      for (int k = 0; k < model.v_count[body]; ++k)
        for (int l = 0; l < model.v_count[other]; ++l)
          visit(model.v_index[body] + k, model.v_index[other] + l);
}

}  // namespace

InverseInertia::InverseInertia(const Model& model, std::span<const double> motor_inertia,
                               std::span<const ConstraintRow> rows, std::span<const Pair> pairs)
    : n_v_(size_t(model.n_v)), motor_inertia_(motor_inertia.begin(), motor_inertia.end()) {
  find_independent(model, rows, pairs);
  find_sources(model, pairs);
  find_fill();
}

void InverseInertia::find_independent(const Model& model, std::span<const ConstraintRow> rows,
                                      std::span<const Pair> pairs) {
  ActiveRows reduced;
  reduced.set(rows, std::vector<char>(n_v_));
  pivots_ = reduced.pivots();
  DisjointSets sets;  // of dof
  sets.reset(n_v_);
  for_each_pair_on_path(model, [&](int i, int j) { sets.merge(i, j); });
  for (const auto& [i, j] : pairs) sets.merge(i, j);
  for (size_t r = 0; r < pivots_.size(); ++r)
    for (size_t dof = 0; dof < n_v_; ++dof)
      if (reduced.rest(r)[dof] != 0) sets.merge(pivots_[r], int(dof));
  for (int i = 1; i < model.n_body; ++i)
    for (int k = 0; k < model.v_count[size_t(i)]; ++k)
      if (const int dof = model.v_index[size_t(i)] + k; !std::ranges::count(pivots_, dof))
        independent_.push_back(dof);
  std::ranges::stable_sort(independent_, {}, [&](int dof) { return sets.find(dof); });
  std::vector<int> place(n_v_, -1);
  P_.resize(n_v_);
  size_t size = 0;  // of R_
  for (size_t k = 0; k < independent_.size(); ++k) {
    const int dof = independent_[k];
    place[size_t(dof)] = int(k);
    P_[size_t(dof)] = {{int(k), 1}};
    if (k == 0 || sets.find(dof) != sets.find(independent_[k - 1]))
      blocks_.push_back({int(k), int(k)});
    ++blocks_.back().end;
    block_.push_back(int(blocks_.size()) - 1);
  }
  for (const auto& [first, end] : blocks_)
    for (int k = first; k < end; ++k, size += size_t(end - first))
      row_.push_back(std::ptrdiff_t(size) - first);
  R_.assign(size, 0.0);
  for (size_t r = 0; r < pivots_.size(); ++r) {
    const std::span<const double> rest = reduced.rest(r);
    for (size_t dof = 0; dof < rest.size(); ++dof)
      if (rest[dof] != 0) P_[size_t(pivots_[r])].push_back({place[dof], -rest[dof]});
  }
  y_.resize(independent_.size());
  root_.resize(independent_.size());
  touched_.reserve(blocks_.size());
}

// R_ab = sum_ij P_ia M_ij P_jb, for a >= b. M_ij is nonzero for pairs on a path, and for the given
// pairs.
void InverseInertia::find_sources(const Model& model, std::span<const Pair> pairs) {
  std::vector<char> is_nonzero(n_v_ * n_v_, 0);
  const auto mark = [&](int i, int j) {
    is_nonzero[size_t(i) * n_v_ + size_t(j)] = is_nonzero[size_t(j) * n_v_ + size_t(i)] = 1;
  };
  for_each_pair_on_path(model, mark);
  for (const auto& [i, j] : pairs) mark(i, j);
  std::map<std::pair<size_t, size_t>, double> factors;  // by entry of R and entry of M
  for (size_t i = 0; i < n_v_; ++i)
    for (size_t j = 0; j < n_v_; ++j) {
      if (!is_nonzero[i * n_v_ + j]) continue;
      for (const Share& a : P_[i])
        for (const Share& b : P_[j])
          if (a.y >= b.y)
            factors[{at(size_t(a.y), size_t(b.y)), std::max(i, j) * n_v_ + std::min(i, j)}] +=
                a.factor * b.factor;
    }
  for (const auto& [key, factor] : factors) {
    if (entries_.empty() || entries_.back().at != key.first) entries_.push_back({key.first, 0});
    sources_.push_back({key.second, factor});
    entries_.back().end = sources_.size();
  }
}

// Eliminating entry k of y couples all earlier entries that k is coupled with.
void InverseInertia::find_fill() {
  std::vector<char> couples(R_.size(), 0);
  for (const Entry& entry : entries_) couples[entry.at] = 1;
  before_.resize(independent_.size());
  for (size_t k = independent_.size(); k-- > 0;) {
    for (int a = blocks_[size_t(block_[k])].first; a < int(k); ++a)
      if (couples[at(k, size_t(a))]) before_[k].push_back(a);
    for (const int a : before_[k])
      for (const int b : before_[k])
        if (const size_t entry = at(size_t(a), size_t(b)); b < a && !couples[entry]) {
          couples[entry] = 1;
          fill_.push_back(entry);
        }
  }
}

int InverseInertia::factor(const double* M) {
  constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
  const size_t n_y = independent_.size();
  for (const size_t fill : fill_) R_[fill] = 0;
  const Source* source = sources_.data();
  for (const auto& [at, end] : entries_) {
    double sum = 0;
    for (; source != sources_.data() + end; ++source) sum += source->factor * M[source->from];
    R_[at] = sum;
  }
  for (size_t k = 0; k < n_y; ++k) y_[k] = R_[at(k, k)];
  for (size_t k = n_y; k-- > 0;) {
    double* row = R_.data() + row_[k];
    const double pivot = row[k];
    if (!(pivot > rounding * y_[k])) return independent_[k];
    const std::vector<int>& before = before_[k];
    for (size_t i = before.size(); i-- > 0;) {
      const int a = before[i];
      const double f = row[a] / pivot;
      double* target = R_.data() + row_[size_t(a)];
      for (size_t j = 0; j <= i; ++j) target[before[j]] -= f * row[before[j]];
      row[a] = f;
    }
    root_[k] = 1 / std::sqrt(pivot);
  }
  return -1;
}

// Sets y_ = L^-T y_ in a block.
void InverseInertia::solve_outer(Block block) const {
  for (int k = block.end; k-- > block.first;) {
    const double y = y_[size_t(k)];
    if (y == 0) continue;
    const double* row = R_.data() + row_[size_t(k)];
    for (const int a : before_[size_t(k)]) y_[size_t(a)] -= row[a] * y;
  }
}

void InverseInertia::solve(double* f) const {
  const size_t n_y = independent_.size();
  for (size_t k = 0; k < n_y; ++k) y_[k] = f[independent_[k]];
  for (const int pivot : pivots_)
    for (const auto& [y, factor] : P_[size_t(pivot)]) y_[size_t(y)] += factor * f[pivot];
  solve_outer({0, int(n_y)});
  for (size_t k = 0; k < n_y; ++k) {
    const double* row = R_.data() + row_[k];
    y_[k] /= row[k];
    for (const int a : before_[k]) y_[k] -= row[a] * y_[size_t(a)];
  }
  for (size_t k = 0; k < n_y; ++k) f[independent_[k]] = y_[k];
  for (const int pivot : pivots_) {
    double sum = 0;
    for (const auto& [y, factor] : P_[size_t(pivot)]) sum += factor * y_[size_t(y)];
    f[pivot] = sum;
  }
  for (size_t m = 0; m < motor_inertia_.size(); ++m) f[n_v_ + m] /= motor_inertia_[m];
}

// A component of x of a dof has the index of the entry of y. That of a motor has the index of the
// motor in u.
void InverseInertia::append_half(const Row& row, std::vector<Term>& out) const {
  const size_t begin = out.size();
  touched_.clear();
  for (const auto& [index, factor] : row) {
    if (size_t(index) >= n_v_) {
      out.push_back({index, factor / std::sqrt(motor_inertia_[size_t(index) - n_v_])});
      continue;
    }
    for (const Share& share : P_[size_t(index)]) {
      const int block = block_[size_t(share.y)];
      if (std::ranges::find(touched_, block) == touched_.end()) {
        touched_.push_back(block);
        const auto [first, end] = blocks_[size_t(block)];
        std::fill(y_.begin() + first, y_.begin() + end, 0.0);
      }
      y_[size_t(share.y)] += share.factor * factor;
    }
  }
  for (const int block : touched_) {
    const auto [first, end] = blocks_[size_t(block)];
    solve_outer({first, end});
    for (int k = first; k < end; ++k)
      if (const double y = y_[size_t(k)]; y != 0) out.push_back({k, y * root_[size_t(k)]});
  }
  std::ranges::sort(std::span(out).subspan(begin), {}, &Term::index);
}

void InverseInertia::add_row_forces(const double* unbalanced, double* out) const {
  for (const int pivot : pivots_) {
    out[pivot] += unbalanced[pivot];
    for (const auto& [y, factor] : P_[size_t(pivot)])
      out[independent_[size_t(y)]] -= factor * unbalanced[pivot];
  }
}

// G = sum over k of x_k x_k^T. x_k [rows] has component k of append_half() of each row. In a tree,
// most rows have none, so that only the rows from the first to the last one that has are visited.
void Delassus::evaluate(const InverseInertia& inverse, size_t n_u,
                        std::span<const ConstraintRow> rows) {
  const auto n = Eigen::Index(rows.size());
  X_.setZero(n, Eigen::Index(n_u));
  half_.reserve(n_u);
  for (Eigen::Index r = 0; r < n; ++r) {
    half_.clear();
    inverse.append_half(*rows[size_t(r)].row, half_);
    for (const auto& [index, x] : half_) X_(r, index) = x;
  }
  G.setZero(n, n);
  for (Eigen::Index k = 0; k < Eigen::Index(n_u); ++k) {
    const double* x = X_.data() + k * n;
    Eigen::Index first = 0, end = n;
    while (first < end && x[first] == 0) ++first;
    while (first < end && x[end - 1] == 0) --end;
    for (Eigen::Index r = first; r < end; ++r) {
      const double x_r = x[r];
      if (x_r == 0) continue;
      double* __restrict column = G.data() + r * n;
      for (Eigen::Index s = first; s < end; ++s) column[s] += x_r * x[s];
    }
  }
}

void DelassusFactor::compute(const InverseInertia& inverse, size_t n_u,
                             std::span<const ConstraintRow> rows) {
  delassus_.evaluate(inverse, n_u, rows);
  factor_.compute(delassus_.G);
}

void DelassusFactor::solve(const InverseInertia& inverse, std::span<const ConstraintRow> rows,
                           Eigen::VectorXd& x, std::span<double> u) const {
  factor_.solveInPlace(x);
  accelerate(inverse, rows, {x.data(), rows.size()}, u);
}

void accelerate(const InverseInertia& inverse, std::span<const ConstraintRow> rows,
                std::span<const double> lambda, std::span<double> out) {
  std::ranges::fill(out, 0.0);
  for (size_t r = 0; r < rows.size(); ++r) push(*rows[r].row, lambda[r], out.data());
  inverse.solve(out.data());
}

}  // namespace torsor
