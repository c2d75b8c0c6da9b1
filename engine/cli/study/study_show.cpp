#include "torsor/cli/study/study_show.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/pages/metrics_table.hpp"
#include "torsor/cli/study/study_pictures.hpp"
#include "torsor/study/statistics/study_statistics.hpp"

namespace torsor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* level_names[quantile_levels.size()] = {"least", "5 %",  "25 %",   "median",
                                                             "75 %",  "95 %", "largest"};

std::string number_cell(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.5g}", value);
}

void print_samples(const StudyLayout& layout, const StudyStatistics& statistics) {
  const uint64_t run = statistics.run, failed = statistics.failed;
  fmt::print("samples      {} of {}\n", run, layout.rows());
  if (run > 0)
    fmt::print(
        "failures     {} of {}: {:.3g} %, and {:.3g} to {:.3g} % with a confidence of 95 %\n",
        failed, run, 100 * double(failed) / double(run), 100 * statistics.failure.from,
        100 * statistics.failure.to);
}

void print_outcomes(const StudyStatistics& statistics) {
  std::vector<Cells> rows{{"outcome", "samples", "mean", "deviation"}};
  rows[0].insert(rows[0].end(), std::begin(level_names), std::end(level_names));
  rows[0].insert(rows[0].end(), {"sample of least", "of largest"});
  for (const OutcomeStatistics& each : statistics.outcomes) {
    Cells& cells = rows.emplace_back(Cells{each.column.head(), std::to_string(each.moments.count),
                                           number_cell(each.moments.mean),
                                           number_cell(each.moments.deviation)});
    for (const double value : each.quantiles) cells.push_back(number_cell(value));
    const bool any = each.moments.count > 0;
    cells.push_back(any ? std::to_string(each.smallest) : "-");
    cells.push_back(any ? std::to_string(each.largest) : "-");
  }
  print_table(rows, 1, "");
}

// Prints the rank correlation of each outcome with each parameter whose values are numbers.
void print_correlations(const StudyLayout& layout, const StudyStatistics& statistics) {
  std::vector<Cells> rows{{"rank correlation"}};
  for (const StudyColumn& parameter : layout.parameters)
    if (parameter.labels.empty()) rows[0].push_back(parameter.name);
  if (rows[0].size() == 1) return;
  for (const OutcomeStatistics& each : statistics.outcomes) {
    Cells& cells = rows.emplace_back(Cells{each.column.name});
    for (size_t k = 0; k < layout.parameters.size(); ++k)
      if (layout.parameters[k].labels.empty()) {
        const double rank = each.parameters[k].rank;
        cells.push_back(std::isnan(rank) ? "-" : fmt::format("{:.3f}", rank));
      }
  }
  fmt::print("\n");
  print_table(rows, 1, "");
}

std::string index_text(double value, const Interval& interval) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", value, interval.from, interval.to);
}

void print_sensitivities(const StudyStatistics& statistics) {
  if (statistics.axes.empty()) return;
  fmt::print("\n");
  std::vector<Cells> rows{{"sensitivity of", "to", "first order (95 %)", "total (95 %)", "pairs"}};
  for (const OutcomeStatistics& each : statistics.outcomes)
    for (size_t i = 0; i < each.sensitivities.size(); ++i) {
      const SensitivityIndex& index = each.sensitivities[i];
      rows.push_back({each.column.name, statistics.axes[i],
                      index_text(index.first, index.first_interval),
                      index_text(index.total, index.total_interval), std::to_string(each.pairs)});
    }
  print_table(rows, 2, "");
}

Json json_of(const Interval& interval) {
  return {interval.from, interval.to};
}

Json json_of(const StudyLayout& layout, const StudyStatistics& statistics,
             const OutcomeStatistics& each) {
  Json out{{"name", each.column.name},         {"unit", each.column.unit},
           {"samples", each.moments.count},    {"not_finite", each.not_finite},
           {"mean", each.moments.mean},        {"deviation", each.moments.deviation},
           {"sample_of_least", each.smallest}, {"sample_of_largest", each.largest}};
  for (size_t k = 0; k < quantile_levels.size(); ++k)
    out["quantiles"].push_back({quantile_levels[k], each.quantiles[k]});
  for (size_t k = 0; k < layout.parameters.size(); ++k)
    out["correlations"].push_back({{"parameter", layout.parameters[k].name},
                                   {"linear", each.parameters[k].linear},
                                   {"rank", each.parameters[k].rank}});
  for (size_t i = 0; i < each.sensitivities.size(); ++i) {
    const SensitivityIndex& index = each.sensitivities[i];
    out["sensitivities"].push_back({{"parameters", statistics.axes[i]},
                                    {"first", index.first},
                                    {"first_interval", json_of(index.first_interval)},
                                    {"total", index.total},
                                    {"total_interval", json_of(index.total_interval)},
                                    {"pairs", each.pairs}});
  }
  return out;
}

void print_json(const StudyLayout& layout, const StudyStatistics& statistics) {
  Json out{{"samples", layout.rows()}};
  for (int k = 0; k < n_sample_statuses; ++k)
    out["statuses"][name(SampleStatus(k))] = statistics.statuses[size_t(k)];
  out["failure_interval"] = json_of(statistics.failure);
  out["outcomes"] = Json::array();
  for (const OutcomeStatistics& each : statistics.outcomes)
    out["outcomes"].push_back(json_of(layout, statistics, each));
  fmt::print("{}\n", out.dump(1));
}

}  // namespace

std::vector<size_t> selected_outcomes(const StudyLayout& layout,
                                      const std::vector<std::string>& selected) {
  std::vector<size_t> out;
  const std::vector<std::string> known = column_names(layout.outcomes);
  for (const std::string& name : selected) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      throw Error(fmt::format("--outcomes {}: the study has no outcome of this name; it has: {}{}",
                              name, fmt::join(known, ", "), did_you_mean(name, known)));
    out.push_back(size_t(found - known.begin()));
  }
  for (size_t k = 0; selected.empty() && k < known.size(); ++k) out.push_back(k);
  return out;
}

void show_study(const ShowOptions& options) {
  const StudyReader study(options.table);
  const StudyLayout& layout = study.layout();
  const std::vector<size_t> outcomes = selected_outcomes(layout, options.outcomes);
  const StudyStatistics statistics = study_statistics(study, outcomes);
  if (options.json) {
    print_json(layout, statistics);
  } else {
    print_samples(layout, statistics);
    print_outcomes(statistics);
    print_correlations(layout, statistics);
    print_sensitivities(statistics);
  }
  if (options.plot.empty()) return;
  draw_study(study, outcomes, options.picture, options.plot);
  if (!options.json) fmt::print("\npicture      {}\n", options.plot);
}

}  // namespace torsor::cli
