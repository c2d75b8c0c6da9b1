#include "torsor/study/statistics/study_columns.hpp"

#include <limits>

namespace torsor {

StudyColumns read_columns(const StudyReader& table, const std::vector<size_t>& outcomes) {
  StudyColumns out;
  out.parameters.resize(table.layout().parameters.size());
  out.outcomes.resize(outcomes.size());
  table.each([&](uint64_t, const SampleRow& row) {
    out.status.push_back(row.status);
    for (size_t k = 0; k < out.parameters.size(); ++k)
      out.parameters[k].push_back(row.parameters[k]);
    for (size_t k = 0; k < outcomes.size(); ++k)
      out.outcomes[k].push_back(is_complete(row.status) ? row.outcomes[outcomes[k]]
                                                        : std::numeric_limits<double>::quiet_NaN());
  });
  return out;
}

}  // namespace torsor
