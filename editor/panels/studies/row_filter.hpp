#pragma once
// Selects and sorts the rows of a study.

#include <array>
#include <string>
#include <vector>

#include "editor/panels/studies/study_data.hpp"

namespace torsor::editor {

// A condition on the columns, such as "peak > 2 and law = pid or status = failed". A condition is
// COLUMN OPERATOR VALUE. The operators are < <= > >= = !=. VALUE is a number, a label, part of a
// message for the column "failure", or "-" for a missing value.
class RowFilter {
 public:
  // Throws Error if the text has another form, or names a column or a label that does not exist.
  RowFilter(const StudyData& data, std::string_view text);
  bool matches(const StudyData& data, size_t row) const;

 private:
  enum class Test { less, at_most, more, at_least, equal, unequal };
  struct Condition {
    StudyField field;
    Test test;
    double value;              // NaN: a missing value
    std::vector<bool> labels;  // labels that are equal to the value; empty: compare numbers
    bool holds(double x) const;
  };
  static Condition condition_of(const StudyData& data, std::string_view text);

  std::vector<std::vector<Condition>> alternatives_;  // joined by "or"; each is joined by "and"
};

// The rows that the table shows: the rows that match, and their order.
struct RowRequest {
  std::string filter = {};  // of RowFilter; "": all rows
  // Statuses that are shown.
  std::array<bool, n_sample_statuses> statuses{true, true, true, true, true, true};
  std::string sorted = "sample";  // column
  bool descending = false;
  bool operator==(const RowRequest&) const = default;
};

struct RowSelection {
  std::vector<uint32_t> rows;   // in the order of the table
  std::vector<uint32_t> order;  // the same rows in the order of display; NaN are last
};
// Throws Error if the filter is invalid. A column that does not exist is replaced with "sample".
RowSelection select_rows(const StudyData& data, const RowRequest& request);

}  // namespace torsor::editor
