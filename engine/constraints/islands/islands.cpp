#include "torsor/constraints/islands/islands.hpp"

#include <numeric>

namespace torsor {

namespace {

// Islands with at most this number of rows have no factor.
constexpr size_t rows_without_factor = 60;

}  // namespace

void Islands::split(const ConstraintProblem& problem, const HalfRows* halves) {
  whole_ = &problem, halves_ = halves;
  const int n = problem.n();
  // The rows of a contact belong together: only their first row is joined with others.
  sets_.reset(size_t(n));
  head_.resize(size_t(n));
  std::iota(head_.begin(), head_.end(), 0);
  for (const torsor_friction& friction : problem.frictions)
    for (int i = friction.first; i < friction.first + friction.count; ++i) {
      sets_.merge(i, friction.normal);
      head_[size_t(i)] = friction.normal;
    }
  const SparseRows& G = problem.sparse;
  for (int i = 0; i < n; ++i) {
    const int own = head_[size_t(i)];
    int last = -1;
    for (int k = G.row_start[size_t(i)]; k < G.row_start[size_t(i) + 1]; ++k) {
      const int other = head_[size_t(G.column[size_t(k)])];
      if (other == last) continue;
      if (other >= own) break;  // G is symmetric
      last = other;
      sets_.merge(own, other);
    }
  }
  // Sorts the rows by island, which are in the order of their first rows.
  first_.assign(1, 0);
  local_.assign(size_t(n), 0);
  for (int i = 0; i < n; ++i) {
    if (sets_.find(i) == i) first_.push_back(0), local_[size_t(i)] = int(first_.size()) - 2;
    ++first_[size_t(local_[size_t(sets_.find(i))]) + 1];
  }
  for (size_t k = 1; k < first_.size(); ++k) first_[k] += first_[k - 1];
  rows_.resize(size_t(n));
  std::vector<int>& next = column_;
  next.assign(first_.begin(), first_.end());
  for (int i = 0; i < n; ++i) rows_[size_t(next[size_t(local_[size_t(sets_.find(i))])]++)] = i;
  for (size_t island = 0; island + 1 < first_.size(); ++island)
    for (int k = first_[island]; k < first_[island + 1]; ++k)
      local_[size_t(rows_[size_t(k)])] = k - first_[island];
  next_friction_.assign(size_t(n), -1);
  for (size_t k = problem.frictions.size(); k-- > 0;)
    next_friction_[size_t(problem.frictions[k].normal)] = int(k);
}

ConstraintProblem Islands::problem(size_t island) {
  const ConstraintProblem& whole = *whole_;
  const size_t n = rows(island).size();
  for (std::vector<double>* list : {&c_, &c_terms_, &lower_, &upper_, &start_, &value_})
    list->clear();
  row_start_.assign(1, 0);
  column_.clear();
  frictions_.clear();
  size_t entries = 0;
  for (const int row : rows(island))
    entries +=
        size_t(whole.sparse.row_start[size_t(row) + 1] - whole.sparse.row_start[size_t(row)]);
  const bool is_dense = 2 * entries >= n * n;
  G_.assign(is_dense ? n * n : 0, 0.0);
  for (const int row : rows(island)) {
    const size_t i = size_t(row);
    c_.push_back(whole.c[i]);
    c_terms_.push_back(whole.c_terms[i]);
    lower_.push_back(whole.lower[i]);
    upper_.push_back(whole.upper[i]);
    if (!whole.start.empty()) start_.push_back(whole.start[i]);
    for (int k = whole.sparse.row_start[i]; k < whole.sparse.row_start[i + 1]; ++k) {
      const int column = local_[size_t(whole.sparse.column[size_t(k)])];
      if (is_dense) {
        G_[size_t(local_[i]) * n + size_t(column)] = whole.sparse.value[size_t(k)];
        continue;
      }
      column_.push_back(column);
      value_.push_back(whole.sparse.value[size_t(k)]);
    }
    row_start_.push_back(int(column_.size()));
    for (int k = next_friction_[i];
         k >= 0 && size_t(k) < whole.frictions.size() && whole.frictions[size_t(k)].normal == row;
         ++k) {
      torsor_friction friction = whole.frictions[size_t(k)];
      friction.normal = local_[i];
      friction.first = local_[size_t(friction.first)];
      frictions_.push_back(friction);
    }
  }
  const torsor_constraint_factor* const factor =
      halves_ && n > rows_without_factor ? factor_.evaluate(*halves_, rows(island), head_)
                                         : nullptr;
  ConstraintProblem out{.G = nullptr,
                        .c = c_,
                        .c_terms = c_terms_,
                        .lower = lower_,
                        .upper = upper_,
                        .frictions = frictions_,
                        .start = start_,
                        .factor = factor,
                        .factor_entries = factor ? factor_.entries() : 0};
  if (is_dense)
    out.G = G_.data();
  else
    out.sparse = {row_start_, column_, value_};
  return out;
}

}  // namespace torsor
