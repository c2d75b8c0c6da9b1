#include "torsor/constraints/active_constraints.hpp"

#include <algorithm>
#include <numeric>

#include "torsor/constraints/box_lcp.hpp"

namespace torsor {

void ActiveConstraints::set_permanent(std::vector<ConstraintRow> eliminated,
                                      std::vector<ConstraintRow> permanent,
                                      std::vector<char> given) {
  n_eliminated_ = eliminated.size();
  n_permanent_ = permanent.size();
  given_ = std::move(given);
  n_u_ = given_.size();
  rows_ = std::move(eliminated);
  rows_.insert(rows_.end(), permanent.begin(), permanent.end());
  activate({});
}

void ActiveConstraints::activate(std::vector<ConstraintRow> active) {
  rows_.resize(n_eliminated_ + n_permanent_);
  rows_.insert(rows_.end(), active.begin(), active.end());
  rows_vary_ = std::ranges::any_of(rows(), &ConstraintRow::varies);
  reduced_.set(rows_, given_);
  select_all();
}

void ActiveConstraints::select_all() {
  redundant_ = reduced_.redundant();
  selected_.resize(rows().size());
  std::iota(selected_.begin(), selected_.end(), 0);
  selected_rows_.assign(rows().begin(), rows().end());
}

void ActiveConstraints::select(const InverseInertia& inverse) {
  of_all_.evaluate(inverse, n_u_, rows());
  independent_.select(of_all_.G, n_permanent_);
  selected_.assign(independent_.rows().begin(), independent_.rows().end());
  const auto active =
      std::ranges::count_if(selected_, [&](int row) { return size_t(row) >= n_permanent_; });
  redundant_ = reduced_.redundant() || size_t(active) < rows().size() - n_permanent_;
  selected_rows_.clear();
  for (const int row : selected_) selected_rows_.push_back(rows()[size_t(row)]);
}

void ActiveConstraints::solve(const InverseInertia& inverse, double* udot, double* force) {
  const auto n = Eigen::Index(selected_rows_.size());
  power_ = 0;
  if (n == 0) return;
  delassus_.evaluate(inverse, n_u_, selected_rows_);
  lambda_.resize(n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const ConstraintRow& row = selected_rows_[size_t(r)];
    lambda_[r] = *row.acceleration - along(*row.row, udot);
  }
  factor(delassus_.G, factor_);
  factor_.solveInPlace(lambda_);
  multiplier_.setZero(Eigen::Index(rows().size()));
  for (Eigen::Index r = 0; r < n; ++r) {
    const ConstraintRow& row = selected_rows_[size_t(r)];
    multiplier_[selected_[size_t(r)]] = lambda_[r];
    push(*row.row, lambda_[r], force);
    power_ += lambda_[r] * *row.rate;
    for (size_t i = 0; i < n_u_; ++i) udot[i] += lambda_[r] * delassus_.Y(Eigen::Index(i), r);
  }
}

ActiveRows ActiveConstraints::reduce(std::span<const ConstraintRow> rows) const {
  std::vector<ConstraintRow> all(rows_.begin(), rows_.begin() + std::ptrdiff_t(n_eliminated_));
  all.insert(all.end(), rows.begin(), rows.end());
  ActiveRows out;
  out.set(all, given_);
  return out;
}

}  // namespace torsor
