#pragma once
// The columns of a table of a study in memory.

#include <vector>

#include "torsor/study/table/study_reader.hpp"

namespace torsor {

struct StudyColumns {
  std::vector<SampleStatus> status;
  std::vector<uint32_t> failure;  // keys of the kinds of failures, or 0
  std::vector<double> wall_time;  // s; NaN if the sample has no result
  // [columns][rows] The outcomes of samples whose run is not complete are NaN.
  std::vector<std::vector<double>> parameters, outcomes;
};

// Reads all rows. outcomes: the outcomes to read, indices in StudyLayout::outcomes.
StudyColumns read_columns(const StudyReader& table, const std::vector<size_t>& outcomes);

}  // namespace torsor
