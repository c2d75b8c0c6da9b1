#include "torsor/cli/study/study_summary.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "torsor/cli/pages/metrics_table.hpp"

namespace torsor::cli {

namespace {

// Largest number of rows, and of outcomes, that are printed as a table.
constexpr uint64_t most_rows = 40;
constexpr size_t most_outcomes = 8;

struct Tally {
  std::array<uint64_t, n_sample_statuses> statuses{};
  // Number of samples, and the first one, of each status and kind of failure.
  struct Kind {
    uint64_t count = 0, first = 0;
  };
  std::map<std::pair<SampleStatus, uint32_t>, Kind> kinds;
};

Tally tally_of(const StudyReader& study) {
  Tally out;
  study.each([&](uint64_t sample, const SampleRow& row) {
    ++out.statuses[size_t(row.status)];
    if (row.failure == 0) return;
    Tally::Kind& kind = out.kinds[{row.status, row.failure}];
    if (kind.count++ == 0) kind.first = sample;
  });
  return out;
}

// Returns the meaning of a status, for the lines of failures.
const char* words(SampleStatus status) {
  constexpr const char* all[n_sample_statuses] = {"not run", "warning",    "undefined",
                                                  "failed",  "over limit", "started"};
  return all[size_t(status)];
}

std::string cell(const StudyColumn& column, double value) {
  if (!column.labels.empty()) return column.text(value);
  return std::isnan(value) ? "-" : fmt::format("{:.6g}", value);
}

void print_rows(const StudyReader& study) {
  const StudyLayout& layout = study.layout();
  const size_t outcomes = std::min(layout.outcomes.size(), most_outcomes);
  std::vector<Cells> rows{{"sample"}};
  for (const StudyColumn& column : layout.parameters) rows[0].push_back(column.head());
  for (size_t k = 0; k < outcomes; ++k) rows[0].push_back(layout.outcomes[k].head());
  study.each([&](uint64_t sample, const SampleRow& row) {
    if (!has_result(row.status)) return;
    Cells& cells = rows.emplace_back(Cells{std::to_string(sample)});
    for (size_t k = 0; k < layout.parameters.size(); ++k)
      cells.push_back(cell(layout.parameters[k], row.parameters[k]));
    if (!is_complete(row.status)) {
      cells.emplace_back(words(row.status));
      return;
    }
    for (size_t k = 0; k < outcomes; ++k)
      cells.push_back(cell(layout.outcomes[k], row.outcomes[k]));
  });
  print_table(rows, 0, "");
}

}  // namespace

void print_study_totals(const StudyReader& study, const std::string& scene,
                        const std::string& table) {
  const StudyLayout& layout = study.layout();
  const Tally tally = tally_of(study);
  const auto count = [&](SampleStatus status) { return tally.statuses[size_t(status)]; };
  fmt::print("samples      {} of {}",
             layout.rows() - count(SampleStatus::not_run) - count(SampleStatus::started),
             layout.rows());
  if (layout.shard.count > 1)
    fmt::print(", shard {} of {} of {} samples", layout.shard.index + 1, layout.shard.count,
               layout.samples);
  for (const SampleStatus status :
       {SampleStatus::undefined, SampleStatus::failed, SampleStatus::over_limit})
    if (count(status) > 0) fmt::print("; {} {}", count(status), words(status));
  fmt::print("\n");
  for (const auto& [key, kind] : tally.kinds)
    fmt::print("{:<12} {} x {}; torsor run {} --sample {}:{}\n", words(key.first), kind.count,
               study.message(key.second), scene, table, kind.first);
  fmt::print("results      {:016x}, the same for any number of workers\n", study_hash(study));
  fmt::print("table        {}\n", table);
}

void print_study_summary(const StudyReader& study, const std::string& scene,
                         const std::string& table) {
  if (study.layout().rows() <= most_rows) print_rows(study);
  print_study_totals(study, scene, table);
}

}  // namespace torsor::cli
