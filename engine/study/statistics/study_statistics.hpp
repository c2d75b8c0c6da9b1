#pragma once
// The statistics of a study: of its samples, and of each outcome.

#include <array>
#include <span>
#include <vector>

#include "torsor/study/statistics/sensitivity.hpp"
#include "torsor/study/statistics/study_columns.hpp"
#include "torsor/study/statistics/summary.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor {

// The probabilities of the quantiles of an outcome.
inline constexpr std::array<double, 7> quantile_levels = {0, 0.05, 0.25, 0.5, 0.75, 0.95, 1};

// How an outcome depends on a parameter. NaN if one of them is constant, and for parameters whose
// values are not numbers.
struct Dependence {
  double linear, rank;  // Pearson's and Spearman's correlation
};

struct OutcomeStatistics {
  StudyColumn column;
  Moments moments;                                         // of the finite values
  std::array<double, quantile_levels.size()> quantiles{};  // NaN if there is no finite value
  uint64_t smallest = 0, largest = 0;                      // samples with the extreme values
  uint64_t not_finite = 0;                                 // complete runs without a finite value
  std::vector<Dependence> parameters;                      // [StudyLayout::parameters]
  // Indices of the axes of the design saltelli; empty for other designs.
  std::vector<SensitivityIndex> sensitivities;
  uint64_t pairs = 0;  // of points that the sensitivities use
};

struct StudyStatistics {
  std::array<uint64_t, n_sample_statuses> statuses{};  // numbers of samples
  uint64_t run = 0;                                    // samples that have a result
  uint64_t failed = 0;                                 // those that failed or took too long
  Interval failure{0, 0};  // contains the probability that a run fails, with a confidence of 95 %
  std::vector<OutcomeStatistics> outcomes;
  std::vector<std::string> axes;  // names of the axes of the sensitivities, "mass" or "mass, com"
};

// Reads all rows of a table. outcomes: indices in StudyLayout::outcomes.
StudyStatistics study_statistics(const StudyReader& table, const std::vector<size_t>& outcomes);
// Returns the statistics of one outcome of a table in memory. values: the column of this outcome.
StudyStatistics study_statistics(const StudyLayout& layout, const StudyColumns& columns,
                                 size_t outcome, std::span<const double> values);

}  // namespace torsor
