#pragma once
// The content of a table of a study: its columns, its samples, and the status of a sample.

#include <cstdint>
#include <string>
#include <vector>

namespace torsor {

enum class SampleStatus : uint8_t {
  not_run,
  done,
  undefined,   // the run is complete, but an outcome is NaN
  failed,      // the scene or the run ended with an error
  over_limit,  // the sample took more than its time limit
  started      // the process ended before the sample did
};
inline constexpr int n_sample_statuses = 6;
inline bool has_result(SampleStatus status) {
  return status != SampleStatus::not_run && status != SampleStatus::started;
}
// Returns whether the run reached its end.
inline bool is_complete(SampleStatus status) {
  return status == SampleStatus::done || status == SampleStatus::undefined;
}
// Returns the name of a status, as in the table: "not_run".
const char* name(SampleStatus status);

// A column of values. If labels is not empty, values are indices of labels.
struct StudyColumn {
  std::string name, unit;
  std::vector<std::string> labels = {};
  bool operator==(const StudyColumn&) const = default;
  // Returns the name and the unit, "peak [N m]".
  std::string head() const;
  // Returns a value as text: a label, or the number with all digits. NaN is "".
  std::string text(double value) const;
};

std::vector<std::string> column_names(const std::vector<StudyColumn>& columns);

// A part of a study: the samples index, index + count, index + 2 count, ...
struct Shard {
  uint64_t index = 0, count = 1;
  // Returns the number of its samples, and the sample in a row of its table.
  uint64_t rows(uint64_t samples) const {
    return samples <= index ? 0 : (samples - index + count - 1) / count;
  }
  uint64_t sample(uint64_t row) const { return index + row * count; }
  uint64_t row(uint64_t sample) const { return (sample - index) / count; }
  bool operator==(const Shard&) const = default;
};

struct StudyLayout {
  std::vector<StudyColumn> parameters, outcomes;
  uint64_t samples = 0;  // of the whole study
  Shard shard = {};
  std::string description = "{}";  // a JSON object: everything that determines the samples
  uint64_t rows() const { return shard.rows(samples); }
};

// Returns the text of the dataset /description: the description with the columns, the number of
// samples and the shard.
std::string to_json(const StudyLayout& layout);
// Reads this text. Throws Error if it is not that of a study.
StudyLayout layout_of(const std::string& json);

struct SampleRow {
  SampleStatus status = SampleStatus::not_run;
  std::vector<double> parameters = {}, outcomes = {};
  uint32_t failure = 0;  // key of the kind of failure (failure_kinds.hpp), or 0
  uint64_t state_hash = 0;
  double wall_time = 0;  // s
};

}  // namespace torsor
