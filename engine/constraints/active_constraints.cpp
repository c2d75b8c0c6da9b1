#include "torsor/constraints/active_constraints.hpp"

#include <algorithm>
#include <numeric>

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
  multiplier_.setZero(Eigen::Index(rows().size()));
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

Status ActiveConstraints::solve(const InverseInertia& inverse, MultiplierSolver& solver,
                                double* udot, double* force) {
  power_ = 0;
  multiplier_.setZero(Eigen::Index(rows().size()));
  if (empty()) return {};
  delassus_.evaluate(inverse, n_u_, selected_rows_);
  solver.clear();
  for (const ConstraintRow& row : selected_rows_) solver.add(*row.row, udot, *row.acceleration, {});
  if (Status status = solver.solve(delassus_.G); !status) return status;
  for (size_t r = 0; r < selected_rows_.size(); ++r) {
    const ConstraintRow& row = selected_rows_[r];
    const double lambda = solver.lambda()[r];
    multiplier_[selected_[r]] = lambda;
    push(*row.row, lambda, force);
    power_ += lambda * *row.rate;
  }
  change_.resize(n_u_);
  accelerate(inverse, selected_rows_, solver.lambda(), change_);
  for (size_t i = 0; i < n_u_; ++i) udot[i] += change_[i];
  return {};
}

ActiveRows ActiveConstraints::reduce(std::span<const ConstraintRow> rows) const {
  std::vector<ConstraintRow> all(eliminated().begin(), eliminated().end());
  all.insert(all.end(), rows.begin(), rows.end());
  ActiveRows out;
  out.set(all, given_);
  return out;
}

}  // namespace torsor
