#include "torsor/recording/columns_json.hpp"

#include <nlohmann/json.hpp>

namespace torsor {

nlohmann::ordered_json describe(const std::vector<Column>& columns) {
  auto out = nlohmann::ordered_json::array();
  for (const Column& column : columns) {
    nlohmann::ordered_json entry{{"name", column.name}, {"unit", column.unit}};
    if (!column.frame.empty()) entry["frame"] = column.frame;
    out.push_back(entry);
  }
  return out;
}

}  // namespace torsor
