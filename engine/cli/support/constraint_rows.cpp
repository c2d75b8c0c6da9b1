#include "torsor/cli/support/constraint_rows.hpp"

#include <algorithm>
#include <cmath>

namespace torsor::cli {

ConstraintRowsAt::ConstraintRowsAt(Solver solver)
    : solver_(std::move(solver)),
      mechanism_(solver_.model()),
      closures_(solver_.model()),
      M_inverse_(size_t(mechanism_.n_v) * size_t(mechanism_.n_v)),
      vdot_(size_t(mechanism_.n_v)) {}

void ConstraintRowsAt::add(const ConstraintRow& row, int& count) {
  const auto is_of_motor = [&](const Term& term) { return term.index >= mechanism_.n_v; };
  if (std::ranges::any_of(*row.row, is_of_motor)) return;
  rows_.push_back(row);
  c_.push_back(along(*row.row, vdot_.data()) - *row.acceleration);
  c_terms_.push_back(terms_along(*row.row, vdot_.data()) + std::abs(*row.acceleration));
  lower_.push_back(row.bounds.lower);
  upper_.push_back(row.bounds.upper);
  ++count;
}

// Returns whether no other stop of the joint of a stop is nearer.
bool ConstraintRowsAt::is_nearest(size_t stop, const State& state) const {
  const auto distance = [&](const StopElement& each) {
    return mechanism_.distance(each, state.q().data(), nullptr);
  };
  const StopElement& own = mechanism_.stops[stop];
  for (size_t k = 0; k < mechanism_.stops.size(); ++k) {
    const StopElement& other = mechanism_.stops[k];
    if (k != stop && other.index() == own.index() &&
        (distance(other) < distance(own) || (distance(other) == distance(own) && k < stop)))
      return false;
  }
  return true;
}

void ConstraintRowsAt::evaluate(const State& state, std::span<const double> tau) {
  const auto require = [&](Status status) {
    if (!status) throw Error(solver_.explain(status));
  };
  require(solver_.forward(state, tau.data(), vdot_.data()));
  require(solver_.inverse_mass_matrix(state, M_inverse_.data()));
  for (auto* list : {&c_, &c_terms_, &lower_, &upper_}) list->clear();
  rows_.clear();
  counts_ = {};
  closures_.evaluate(state);
  for (const ConstraintRow& row : closures_.constraint_rows()) add(row, counts_.closures);
  for (const MimicElement& mimic : mechanism_.mimics) add({.row = &mimic.row}, counts_.mimics);
  for (size_t k = 0; k < mechanism_.n_guards(); ++k) {
    const bool is_stop = mechanism_.is_stop(k);
    const size_t stop = k - mechanism_.frictions.size();
    if (is_stop ? mechanism_.stops[stop].index() < mechanism_.n_v && is_nearest(stop, state)
                : mechanism_.frictions[k].can_stick())
      add(mechanism_.guard_constraint(k), is_stop ? counts_.stops : counts_.frictions);
  }
  const size_t n = rows_.size(), n_v = vdot_.size();
  G_.assign(n * n, 0.0);
  std::vector<double> y(n_v);  // M^-1 J_i^T
  for (size_t i = 0; i < n; ++i) {
    std::ranges::fill(y, 0.0);
    for (const auto& [index, factor] : *rows_[i].row)
      for (size_t k = 0; k < n_v; ++k) y[k] += factor * M_inverse_[k * n_v + size_t(index)];
    for (size_t j = 0; j <= i; ++j) G_[i * n + j] = G_[j * n + i] = along(*rows_[j].row, y.data());
  }
}

}  // namespace torsor::cli
