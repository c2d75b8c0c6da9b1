#include "torsor/study/statistics/study_columns.hpp"

#include <limits>

namespace torsor {

StudyColumns read_columns(const StudyReader& table, const std::vector<size_t>& outcomes) {
  constexpr double no_value = std::numeric_limits<double>::quiet_NaN();
  StudyColumns out;
  out.parameters.resize(table.layout().parameters.size());
  out.outcomes.resize(outcomes.size());
  table.each([&](uint64_t, const SampleRow& row) {
    out.status.push_back(row.status);
    out.failure.push_back(row.failure);
    out.wall_time.push_back(has_result(row.status) ? row.wall_time : no_value);
    for (size_t k = 0; k < out.parameters.size(); ++k)
      out.parameters[k].push_back(row.parameters[k]);
    for (size_t k = 0; k < outcomes.size(); ++k)
      out.outcomes[k].push_back(is_complete(row.status) ? row.outcomes[outcomes[k]] : no_value);
  });
  return out;
}

}  // namespace torsor
