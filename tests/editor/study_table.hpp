#pragma once
// Tables of studies for tests, written without a scene.

#include <filesystem>
#include <limits>
#include <string>

#include "torsor/study/table/study_table.hpp"

namespace torsor::editor::test {

// Columns: payload [kg], law (pid or adaptive), peak [N m], reached.
inline StudyLayout study_layout(uint64_t samples, const std::string& description = "{}") {
  return {.parameters = {{"payload", "kg"}, {"law", "", {"pid", "adaptive"}}},
          .outcomes = {{"peak", "N m"}, {"reached", ""}},
          .samples = samples,
          .description = description};
}

// The payload is 0.5 k, the peak (k - 3)^2. Samples 7, 17, .. fail, and samples 8, 18, .. have no
// peak.
inline SampleRow study_row(uint64_t k, uint32_t failure = 0) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const double x = double(k) - 3;
  SampleRow out{.status = SampleStatus::done,
                .parameters = {0.5 * double(k), double(k % 2)},
                .outcomes = {x * x, k % 3 == 0 ? 1.0 : 0.0},
                .failure = 0,
                .state_hash = k,
                .wall_time = 0.01 * double(k)};
  if (k % 10 == 8) out.status = SampleStatus::undefined, out.outcomes[0] = none;
  if (k % 10 == 7) {
    out.status = SampleStatus::failed;
    out.outcomes = {none, none};
    out.failure = failure;
  }
  return out;
}

inline void write_rows(StudyTable& table, uint64_t first, uint64_t end) {
  for (uint64_t k = first; k < end; ++k)
    table.write(
        k,
        study_row(k, k % 10 == 7 ? table.add_failure(k, "at t = 0.4 s: the elbow is stuck") : 0));
}

// Writes the first `written` rows of a table.
inline void write_study(const std::filesystem::path& file, uint64_t samples, uint64_t written,
                        const std::string& description = "{}") {
  StudyTable table = StudyTable::create(file, study_layout(samples, description));
  write_rows(table, 0, written);
}

}  // namespace torsor::editor::test
