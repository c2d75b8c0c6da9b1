#pragma once
// The table of a study in memory, as the panel shows it.

#include <array>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/study/statistics/study_columns.hpp"
#include "torsor/study/table/failure_kinds.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor::editor {

// A column on display. If labels is not empty, its values are indices of labels.
struct StudyField {
  enum class Role { sample, status, parameter, outcome, wall_time, failure };
  std::string name, unit;
  Role role;
  size_t index = 0;  // of the parameter or the outcome
  std::vector<std::string> labels = {};
  // Returns the name and the unit, "peak [N m]".
  std::string head() const;
};

// The content of a table when it was read. It never changes.
struct StudyData {
  std::filesystem::path file;
  std::filesystem::file_time_type written;  // time of the last change before it was read
  StudyLayout layout;
  StudyColumns columns;  // with all outcomes; NaN if a sample has no value
  std::vector<StudyField> fields;
  std::array<uint64_t, n_sample_statuses> statuses{};  // numbers of samples
  uint64_t n_failures = 0;                             // number of samples with a message
  std::string scene;                                   // as the study names it

  size_t rows() const { return columns.status.size(); }
  uint64_t n_results() const;
  uint64_t sample(size_t row) const { return layout.shard.sample(row); }
  // Returns the row of a sample, or nullopt if the table does not have it.
  std::optional<size_t> row_of(uint64_t sample) const;
  // Returns the field with this name, or null.
  const StudyField* find(std::string_view name) const;
  // Returns the field with this name. Throws Error with "did you mean" if there is none.
  const StudyField& require(std::string_view name) const;

  // Returns a value of a row: a number, an index of labels, or NaN.
  double value(const StudyField& field, size_t row) const {
    switch (field.role) {
      case StudyField::Role::sample:
        return double(sample(row));
      case StudyField::Role::status:
        return double(columns.status[row]);
      case StudyField::Role::parameter:
        return columns.parameters[field.index][row];
      case StudyField::Role::outcome:
        return columns.outcomes[field.index][row];
      case StudyField::Role::wall_time:
        return columns.wall_time[row];
      case StudyField::Role::failure:
        return failure_index_[row];
    }
    return std::numeric_limits<double>::quiet_NaN();
  }
  // Returns the value as text: a label, or a number with six digits. NaN is "-".
  std::string text(const StudyField& field, size_t row) const;
  // Returns a value of a field as text, in the same form.
  static std::string text(const StudyField& field, double value);

  friend std::shared_ptr<const StudyData> read_study(const std::filesystem::path& file);

 private:
  std::vector<float> failure_index_;  // of the labels of the field "failure"; NaN: none
};

// Reads a table. Throws Error if it is not a table of a study, or is damaged.
std::shared_ptr<const StudyData> read_study(const std::filesystem::path& file);

}  // namespace torsor::editor
