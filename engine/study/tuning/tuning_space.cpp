#include "torsor/study/tuning/tuning_space.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/study/tuning/objective.hpp"

namespace torsor {

namespace {

// The probability of each tail of infinite length that is cut off.
constexpr double tail = 0.0005;
// The first steps of a search, as a part of the range.
constexpr double first_step = 0.2;
constexpr double most_samples_of_table = 1e9;

// Returns the least coordinate whose quantile is at least the nominal value, up to rounding.
double nominal_coordinate(const Distribution& distribution, double lower, double upper) {
  const double nominal = distribution.nominal();
  if (distribution.quantile(0.5) == nominal && !distribution.count()) return 0.5;
  for (double middle = (lower + upper) / 2; middle > lower && middle < upper;
       middle = (lower + upper) / 2)
    (distribution.quantile(middle) >= nominal ? upper : lower) = middle;
  return upper;
}

}  // namespace

TuningSpace::TuningSpace(const std::vector<StudyParameter>& parameters, TuningRequest request)
    : request_(std::move(request)) {
  objective_statistic(request_.statistic, request_.maximise);  // throws Error if it is unknown
  for (const StudyParameter& parameter : parameters) {
    if (!parameter.distribution) continue;
    columns_.push_back({parameter.name, parameter.unit, parameter.distribution->labels()});
    nominal_.push_back(parameter.distribution->nominal());
  }
  for (const std::string& name : request_.over) add_tuned(parameters, name);
  if (tuned_.empty()) throw Error("no parameter is given to tune; give at least one name");
  // Without a range, each combination of choices has a single point.
  if (axes_.empty()) request_.starts = request_.evaluations = 1;
  require_method(request_.method, axes_.size());
  require_size();
  if (!axes_.empty()) starts_ = make_design("sobol", axes_.size(), request_.starts, request_.seed);
  add_samples(parameters);
}

void TuningSpace::add_tuned(const std::vector<StudyParameter>& parameters,
                            const std::string& name) {
  const auto found = std::ranges::find(parameters, name, &StudyParameter::name);
  if (found == parameters.end()) {
    const std::vector<std::string> names = column_names(columns_);
    throw Error(fmt::format(
        "the scene has no parameter '{}' to tune; its parameters with a distribution are: {}{}",
        quotable(name), names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")),
        did_you_mean(name, names)));
  }
  if (!found->distribution)
    throw Error(fmt::format(
        "the parameter '{0}' has no distribution, which is the range of its values; write for "
        "example {0} = torsor.uniform(0, 1) in the scene",
        name));
  const size_t column =
      size_t(std::ranges::find(columns_, name, &StudyColumn::name) - columns_.begin());
  if (std::ranges::count(tuned_, column) > 0)
    throw Error(fmt::format("the parameter '{}' is given twice; give it once", name));
  tuned_.push_back(column);
  const DistributionPtr& distribution = found->distribution;
  if (!distribution->table().empty())
    throw Error(fmt::format(
        "the parameter '{}' takes rows of a table, which have no order; use torsor.uniform, "
        "torsor.integer or another distribution",
        name));
  const auto count = distribution->count();
  if (!distribution->is_ordered() || count == 1) {
    choices_.push_back({column, distribution});
    combinations_ = std::min(combinations_ * *count, most_searches + 1);
    return;
  }
  Axis axis{.column = column, .distribution = distribution};
  if (!std::isfinite(distribution->quantile(0))) axis.lower = tail;
  if (!std::isfinite(distribution->quantile(1))) axis.upper = 1 - tail;
  const double width = count ? 1 / double(*count) : 0;  // of the values of an integer
  axis.start = std::clamp(nominal_coordinate(*distribution, axis.lower, axis.upper) + width / 2,
                          axis.lower, axis.upper);
  axis.step = std::max(first_step, width);
  axis.tolerance = std::max(request_.tolerance, width / 4);
  axes_.push_back(std::move(axis));
}

void TuningSpace::require_size() const {
  if (double(combinations_) * double(request_.starts) > double(most_searches))
    throw Error(fmt::format(
        "there would be {} searches for each of {} combinations of choices, and the limit is {} "
        "searches; give fewer starts, or set choices to a value",
        request_.starts, combinations_ > most_searches ? "many" : std::to_string(combinations_),
        most_searches));
  if (double(points()) * double(request_.samples) > most_samples_of_table)
    throw Error(fmt::format(
        "the table would have {} x {} x {} rows, which is too many; give fewer starts, evaluations "
        "or samples",
        searches(), request_.evaluations, request_.samples));
}

void TuningSpace::add_samples(const std::vector<StudyParameter>& parameters) {
  samples_.assign(request_.samples, nominal_);
  if (request_.samples == 1) return;
  std::vector<StudyParameter> uncertain;
  for (const StudyParameter& parameter : parameters)
    if (parameter.distribution && std::ranges::count(request_.over, parameter.name) == 0)
      uncertain.push_back(parameter);
  if (uncertain.empty())
    throw Error(fmt::format(
        "all {} samples of a point would be equal, because no other parameter of the scene has a "
        "distribution; give one sample",
        request_.samples));
  const Plan plan(uncertain, {.samples = request_.samples,
                              .design = request_.design,
                              .seed = request_.seed,
                              .grid = {},
                              .table = {}});
  std::vector<double> values(plan.columns().size());
  for (uint64_t m = 0; m < request_.samples; ++m) {
    plan.values(m, values);
    for (size_t k = 0; k < values.size(); ++k) {
      const auto column = std::ranges::find(columns_, plan.columns()[k].name, &StudyColumn::name);
      samples_[m][size_t(column - columns_.begin())] = values[k];
    }
  }
}

SearchRequest TuningSpace::search(uint64_t search) const {
  const uint64_t start = search % request_.starts;
  SearchRequest out{.method = request_.method};
  std::vector<double> point(axes_.size());
  if (starts_) starts_->point(start, point);
  for (size_t d = 0; d < axes_.size(); ++d) {
    const Axis& axis = axes_[d];
    out.start.push_back(start == 0 ? axis.start
                                   : axis.lower + (axis.upper - axis.lower) * point[d]);
    out.lower.push_back(axis.lower);
    out.upper.push_back(axis.upper);
    out.step.push_back(axis.step);
    out.tolerance.push_back(axis.tolerance);
  }
  return out;
}

void TuningSpace::values(uint64_t search, std::span<const double> u, uint64_t m,
                         std::span<double> out) const {
  std::ranges::copy(samples_[m], out.begin());
  for (size_t d = 0; d < axes_.size(); ++d)
    out[axes_[d].column] = axes_[d].distribution->quantile(u[d]);
  // The last choice changes fastest.
  uint64_t combination = search / request_.starts;
  for (size_t k = choices_.size(); k-- > 0;) {
    const uint64_t count = *choices_[k].distribution->count();
    out[choices_[k].column] = choices_[k].distribution->value(combination % count);
    combination /= count;
  }
}

std::vector<std::string> TuningSpace::ends_of_ranges(std::span<const double> u,
                                                     double distance) const {
  std::vector<std::string> out;
  for (size_t d = 0; d < axes_.size(); ++d) {
    const Axis& axis = axes_[d];
    const double value = axis.distribution->quantile(u[d]);
    const auto count = axis.distribution->count();
    const bool is_low = count ? value == axis.distribution->value(0) : u[d] - axis.lower < distance,
               is_high = count ? value == axis.distribution->value(*count - 1)
                               : axis.upper - u[d] < distance;
    if (is_low || is_high)
      out.push_back(fmt::format("'{}' is at the {} end of its range, {}",
                                columns_[axis.column].name, is_low ? "lower" : "upper",
                                axis.distribution->text()));
  }
  return out;
}

std::string TuningSpace::describe() const {
  nlohmann::ordered_json out{
      {"outcome", request_.outcome},     {"goal", request_.maximise ? "maximise" : "minimise"},
      {"over", request_.over},           {"samples", request_.samples},
      {"statistic", request_.statistic}, {"design", request_.design},
      {"seed", request_.seed},           {"method", request_.method},
      {"starts", request_.starts},       {"evaluations", request_.evaluations},
      {"tolerance", request_.tolerance}, {"library", search_library()}};
  return nlohmann::ordered_json{{"tuning", out}}.dump();
}

}  // namespace torsor
