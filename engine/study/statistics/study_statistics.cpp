#include "torsor/study/statistics/study_statistics.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/study/study_description.hpp"

namespace torsor {

namespace {

constexpr double no_value = std::numeric_limits<double>::quiet_NaN();

Dependence dependence(std::span<const double> parameter, std::span<const double> outcome) {
  std::vector<double> x, y;
  for (size_t k = 0; k < parameter.size(); ++k) {
    if (!std::isfinite(parameter[k]) || !std::isfinite(outcome[k])) continue;
    x.push_back(parameter[k]);
    y.push_back(outcome[k]);
  }
  return {correlation(x, y), rank_correlation(x, y)};
}

OutcomeStatistics statistics_of(const StudyLayout& layout, size_t outcome,
                                std::span<const double> values, const StudyColumns& columns) {
  OutcomeStatistics out;
  out.column = layout.outcomes[outcome];
  std::vector<double> finite;
  double least = 0, most = 0;
  for (size_t row = 0; row < values.size(); ++row) {
    const double x = values[row];
    if (!std::isfinite(x)) continue;
    if (finite.empty() || x < least) least = x, out.smallest = layout.shard.sample(row);
    if (finite.empty() || x > most) most = x, out.largest = layout.shard.sample(row);
    finite.push_back(x);
  }
  out.moments = moments(finite);
  std::ranges::sort(finite);
  for (size_t k = 0; k < quantile_levels.size(); ++k)
    out.quantiles[k] = finite.empty() ? no_value : quantile(finite, quantile_levels[k]);
  for (size_t k = 0; k < layout.parameters.size(); ++k)
    out.parameters.push_back(layout.parameters[k].labels.empty()
                                 ? dependence(columns.parameters[k], values)
                                 : Dependence{no_value, no_value});
  return out;
}

// Returns the statistics without those of outcomes.
StudyStatistics statistics_of_samples(const StudyLayout& layout,
                                      const std::vector<SampleStatus>& samples) {
  StudyStatistics out;
  for (const SampleStatus status : samples) {
    ++out.statuses[size_t(status)];
    out.run += has_result(status);
    out.failed += has_result(status) && !is_complete(status);
  }
  if (out.run > 0) out.failure = wilson_interval(out.failed, out.run);
  // The points of a pair are consecutive samples, which are all in the table only without shards.
  if (layout.shard.count == 1)
    for (const std::vector<std::string>& names : sensitivity_axes(layout.description))
      out.axes.push_back(fmt::format("{}", fmt::join(names, ", ")));
  return out;
}

void add_outcome(StudyStatistics& to, const StudyLayout& layout, const StudyColumns& columns,
                 size_t outcome, std::span<const double> values) {
  OutcomeStatistics one = statistics_of(layout, outcome, values, columns);
  one.not_finite = to.run - to.failed - one.moments.count;
  if (!to.axes.empty()) one.sensitivities = sensitivity_indices(values, to.axes.size(), one.pairs);
  to.outcomes.push_back(std::move(one));
}

}  // namespace

StudyStatistics study_statistics(const StudyReader& table, const std::vector<size_t>& outcomes) {
  const StudyColumns columns = read_columns(table, outcomes);
  StudyStatistics out = statistics_of_samples(table.layout(), columns.status);
  for (size_t k = 0; k < outcomes.size(); ++k)
    add_outcome(out, table.layout(), columns, outcomes[k], columns.outcomes[k]);
  return out;
}

StudyStatistics study_statistics(const StudyLayout& layout, const StudyColumns& columns,
                                 size_t outcome, std::span<const double> values) {
  StudyStatistics out = statistics_of_samples(layout, columns.status);
  add_outcome(out, layout, columns, outcome, values);
  return out;
}

}  // namespace torsor
