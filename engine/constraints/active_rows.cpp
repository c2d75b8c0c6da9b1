#include "torsor/constraints/active_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace torsor {

namespace {

// A row depends on others if its part outside of their span is at most this part of it. Ratios of
// gears that are written with ten digits are then consistent, as for the builder (gears.cpp).
constexpr double least_part = 1e-9;

// Returns a - b, or zero if the difference is within a few rounding errors.
double difference(double a, double b) {
  constexpr double roundings = 8 * std::numeric_limits<double>::epsilon();
  return std::abs(a - b) <= roundings * (std::abs(a) + std::abs(b)) ? 0 : a - b;
}

void eliminate(std::vector<double>& w, int pivot, const std::vector<double>& rest) {
  const double factor = w[size_t(pivot)];
  if (factor == 0) return;
  w[size_t(pivot)] = 0;
  for (size_t i = 0; i < w.size(); ++i) w[i] = difference(w[i], factor * rest[i]);
}

}  // namespace

void ActiveRows::set(std::span<const ConstraintRow> rows, std::span<const char> given) {
  rows_.clear();
  redundant_ = false;
  for (const bool several : {false, true})
    for (const ConstraintRow& each : rows)
      if (!each.varies && (each.row->size() > 1) == several) add(*each.row, given);
}

std::vector<int> ActiveRows::pivots() const {
  std::vector<int> out;
  for (const Reduced& reduced : rows_) out.push_back(reduced.pivot);
  return out;
}

void ActiveRows::add(const Row& row, std::span<const char> given) {
  std::vector<double> w(given.size(), 0.0);  // the part of the row outside of the stored rows
  for (const auto& [index, factor] : row) w[size_t(index)] += factor;
  for (const auto& [pivot, rest] : rows_) eliminate(w, pivot, rest);
  const auto size = [&](size_t i) { return given[i] ? 0 : std::abs(w[i]); };
  double largest = 0, whole = 0;
  for (size_t i = 0; i < w.size(); ++i) largest = std::max(largest, size(i));
  for (const Term& term : row) whole = std::max(whole, std::abs(term.factor));
  if (largest <= least_part * whole) {
    redundant_ |= !std::all_of(row.begin(), row.end(),
                               [&](const Term& term) { return given[size_t(term.index)]; });
    return;
  }
  // The pivot is the first term of the row whose coefficient is not small compared with the
  // largest. For a mimic relation, this is the term of the mimic joint.
  const auto pivot = std::find_if(row.begin(), row.end(), [&](const Term& term) {
    return size(size_t(term.index)) >= 1e-3 * largest;
  });
  int place = pivot != row.end() ? pivot->index : 0;
  while (pivot == row.end() && size(size_t(place)) != largest) ++place;
  const double factor = w[size_t(place)];
  w[size_t(place)] = 0;
  for (double& x : w) x /= factor;
  for (Reduced& reduced : rows_) eliminate(reduced.rest, place, w);
  rows_.push_back({place, std::move(w)});
}

void ActiveRows::project(double* u) const {
  for (const auto& [pivot, rest] : rows_) {
    double sum = 0;
    for (size_t i = 0; i < rest.size(); ++i)
      if (rest[i] != 0) sum -= rest[i] * u[i];
    u[pivot] = sum;
  }
}

}  // namespace torsor
