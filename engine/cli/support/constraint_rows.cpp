#include "torsor/cli/support/constraint_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor::cli {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

}  // namespace

ConstraintRowsAt::ConstraintRowsAt(Solver solver)
    : solver_(std::move(solver)),
      mechanism_(solver_.model()),
      closures_(solver_.model()),
      M_inverse_(size_t(mechanism_.n_v) * size_t(mechanism_.n_v)),
      vdot_(size_t(mechanism_.n_v)) {}

void ConstraintRowsAt::add(const Row& row, double bias, double lower, double upper) {
  double c = bias, terms = std::abs(bias);
  for (const auto& [index, factor] : row) {
    c += factor * vdot_[size_t(index)];
    terms += std::abs(factor * vdot_[size_t(index)]);
  }
  rows_.push_back(row);
  c_.push_back(c);
  c_terms_.push_back(terms);
  lower_.push_back(lower);
  upper_.push_back(upper);
}

// Returns the stop with this index, or null if the joint has another one that is nearer.
const StopElement* ConstraintRowsAt::nearer_stop(size_t stop, const State& state) const {
  const auto distance = [&](const StopElement& each) {
    const double p = mechanism_.position(each.index(), state.q().data(), nullptr);
    return each.side() * (p - each.limit);
  };
  const StopElement& own = mechanism_.stops[stop];
  for (size_t k = 0; k < mechanism_.stops.size(); ++k) {
    const StopElement& other = mechanism_.stops[k];
    if (k != stop && other.index() == own.index() &&
        (distance(other) < distance(own) || (distance(other) == distance(own) && k < stop)))
      return nullptr;
  }
  return &own;
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
  const auto has_motor = [&](const Row& row) {
    return std::ranges::any_of(row, [&](const Term& term) { return term.index >= mechanism_.n_v; });
  };
  closures_.evaluate(state);
  for (size_t k = 0; k < closures_.size(); ++k, ++counts_.closures)
    add(closures_.rows()[k], closures_.bias(k), -infinite, infinite);
  for (const MimicElement& mimic : mechanism_.mimics) {
    if (has_motor(mimic.row)) continue;
    add(mimic.row, 0, -infinite, infinite);
    ++counts_.mimics;
  }
  for (const FrictionElement& friction : mechanism_.frictions) {
    if (!friction.can_stick() || has_motor(friction.row)) continue;
    const double most = friction.static_friction();
    add(friction.row, 0, -most, most);
    ++counts_.frictions;
  }
  for (size_t k = 0; k < mechanism_.stops.size(); ++k) {
    if (mechanism_.stops[k].index() >= mechanism_.n_v) continue;
    const StopElement* stop = nearer_stop(k, state);
    if (!stop) continue;
    add(Row(stop->row), 0, 0, infinite);
    ++counts_.stops;
  }
  const size_t n = rows_.size(), n_v = vdot_.size();
  G_.assign(n * n, 0.0);
  std::vector<double> y(n_v);  // M^-1 J_i^T
  for (size_t i = 0; i < n; ++i) {
    std::ranges::fill(y, 0.0);
    for (const auto& [index, factor] : rows_[i])
      for (size_t k = 0; k < n_v; ++k) y[k] += factor * M_inverse_[k * n_v + size_t(index)];
    for (size_t j = 0; j <= i; ++j) G_[i * n + j] = G_[j * n + i] = along(rows_[j], y.data());
  }
}

}  // namespace torsor::cli
