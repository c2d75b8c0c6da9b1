#include "torsor/constraints/inverse_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace torsor {

InverseInertia::InverseInertia(const Model& model, std::span<const double> motor_inertia,
                               std::span<const ConstraintRow> rows, std::span<const Pair> pairs)
    : n_v_(size_t(model.n_v)), motor_inertia_(motor_inertia.begin(), motor_inertia.end()) {
  find_independent(model, rows);
  find_sources(model, pairs);
  find_fill();
}

void InverseInertia::find_independent(const Model& model, std::span<const ConstraintRow> rows) {
  ActiveRows reduced;
  reduced.set(rows, std::vector<char>(n_v_));
  std::vector<int> place(n_v_, -1);
  pivots_ = reduced.pivots();
  for (int i = 1; i < model.n_body; ++i)
    for (int k = 0; k < model.v_count[size_t(i)]; ++k) {
      const int dof = model.v_index[size_t(i)] + k;
      if (std::ranges::count(pivots_, dof)) continue;
      place[size_t(dof)] = int(independent_.size());
      independent_.push_back(dof);
    }
  P_.resize(n_v_);
  for (const int dof : independent_) P_[size_t(dof)] = {{place[size_t(dof)], 1}};
  for (size_t r = 0; r < pivots_.size(); ++r) {
    const std::span<const double> rest = reduced.rest(r);
    for (size_t dof = 0; dof < rest.size(); ++dof)
      if (rest[dof] != 0) P_[size_t(pivots_[r])].push_back({place[dof], -rest[dof]});
  }
  y_.resize(independent_.size());
  root_.resize(independent_.size());
}

// R_ab = sum_ij P_ia M_ij P_jb, for a >= b. M_ij is nonzero if one body of i and j is an ancestor
// of the other, and for the given pairs.
void InverseInertia::find_sources(const Model& model, std::span<const Pair> pairs) {
  std::vector<char> is_nonzero(n_v_ * n_v_, 0);
  const auto mark = [&](size_t i, size_t j) {
    is_nonzero[i * n_v_ + j] = is_nonzero[j * n_v_ + i] = 1;
  };
  for (size_t body = 1; body < size_t(model.n_body); ++body)
    for (size_t other = body; other > 0; other = size_t(model.parent[other]))
      for (int k = 0; k < model.v_count[body]; ++k)
        for (int l = 0; l < model.v_count[other]; ++l)
          mark(size_t(model.v_index[body] + k), size_t(model.v_index[other] + l));
  for (const auto& [i, j] : pairs) mark(size_t(i), size_t(j));
  const size_t n_y = independent_.size();
  std::map<std::pair<size_t, size_t>, double> factors;  // by entry of R and entry of M
  for (size_t i = 0; i < n_v_; ++i)
    for (size_t j = 0; j < n_v_; ++j)
      for (const Share& a : P_[i])
        for (const Share& b : P_[j])
          if (is_nonzero[i * n_v_ + j] && a.y >= b.y)
            factors[{size_t(a.y) * n_y + size_t(b.y), std::max(i, j) * n_v_ + std::min(i, j)}] +=
                a.factor * b.factor;
  for (const auto& [key, factor] : factors) {
    if (entries_.empty() || entries_.back().at != int(key.first))
      entries_.push_back({int(key.first), 0});
    sources_.push_back({int(key.second), factor});
    entries_.back().end = int(sources_.size());
  }
  R_.assign(n_y * n_y, 0.0);
}

// Eliminating entry k of y couples all earlier entries that k is coupled with.
void InverseInertia::find_fill() {
  const size_t n_y = independent_.size();
  std::vector<std::vector<char>> couples(n_y, std::vector<char>(n_y, 0));
  for (const Entry& entry : entries_) couples[size_t(entry.at) / n_y][size_t(entry.at) % n_y] = 1;
  before_.resize(n_y);
  for (size_t k = n_y; k-- > 0;) {
    for (size_t a = 0; a < k; ++a)
      if (couples[k][a]) before_[k].push_back(int(a));
    for (const int a : before_[k])
      for (const int b : before_[k])
        if (b < a && !couples[size_t(a)][size_t(b)]) {
          couples[size_t(a)][size_t(b)] = 1;
          fill_.push_back(size_t(a) * n_y + size_t(b));
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
    R_[size_t(at)] = sum;
  }
  for (size_t k = 0; k < n_y; ++k) y_[k] = R_[k * n_y + k];
  for (size_t k = n_y; k-- > 0;) {
    double* row = &R_[k * n_y];
    const double pivot = row[k];
    if (!(pivot > rounding * y_[k])) return independent_[k];
    const std::vector<int>& before = before_[k];
    for (size_t i = before.size(); i-- > 0;) {
      const size_t a = size_t(before[i]);
      const double f = row[a] / pivot;
      double* target = &R_[a * n_y];
      for (size_t j = 0; j <= i; ++j) target[before[j]] -= f * row[before[j]];
      row[a] = f;
    }
    root_[k] = 1 / std::sqrt(pivot);
  }
  return -1;
}

// Sets y_ = L^-T P^T f.
void InverseInertia::solve_outer(const double* f) const {
  const size_t n_y = independent_.size();
  for (size_t k = 0; k < n_y; ++k) y_[k] = f[independent_[k]];
  for (const int pivot : pivots_)
    for (const auto& [y, factor] : P_[size_t(pivot)]) y_[size_t(y)] += factor * f[pivot];
  for (size_t k = n_y; k-- > 0;) {
    if (y_[k] == 0) continue;
    for (const int a : before_[k]) y_[size_t(a)] -= R_[k * n_y + size_t(a)] * y_[k];
  }
}

void InverseInertia::solve(double* f) const {
  const size_t n_y = independent_.size();
  solve_outer(f);
  for (size_t k = 0; k < n_y; ++k) {
    y_[k] /= R_[k * n_y + k];
    for (const int a : before_[k]) y_[k] -= R_[k * n_y + size_t(a)] * y_[size_t(a)];
  }
  for (size_t k = 0; k < n_y; ++k) f[independent_[k]] = y_[k];
  for (const int pivot : pivots_) {
    double sum = 0;
    for (const auto& [y, factor] : P_[size_t(pivot)]) sum += factor * y_[size_t(y)];
    f[pivot] = sum;
  }
  for (size_t m = 0; m < motor_inertia_.size(); ++m) f[n_v_ + m] /= motor_inertia_[m];
}

void InverseInertia::solve_half(double* f) const {
  solve_outer(f);
  for (size_t k = 0; k < independent_.size(); ++k) f[k] = y_[k] * root_[k];
  std::fill(f + independent_.size(), f + n_v_, 0.0);
  for (size_t m = 0; m < motor_inertia_.size(); ++m) f[n_v_ + m] /= std::sqrt(motor_inertia_[m]);
}

void InverseInertia::add_row_forces(const double* unbalanced, double* out) const {
  for (const int pivot : pivots_) {
    out[pivot] += unbalanced[pivot];
    for (const auto& [y, factor] : P_[size_t(pivot)])
      out[independent_[size_t(y)]] -= factor * unbalanced[pivot];
  }
}

void Delassus::evaluate(const InverseInertia& inverse, size_t n_u,
                        std::span<const ConstraintRow> rows) {
  const auto n = Eigen::Index(rows.size());
  X_.setZero(Eigen::Index(n_u), n);
  for (Eigen::Index r = 0; r < n; ++r) {
    push(*rows[size_t(r)].row, 1, X_.col(r).data());
    inverse.solve_half(X_.col(r).data());
  }
  G.resize(n, n);
  for (Eigen::Index r = 0; r < n; ++r)
    for (Eigen::Index s = 0; s <= r; ++s) G(r, s) = G(s, r) = X_.col(r).dot(X_.col(s));
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
