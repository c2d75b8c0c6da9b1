#include "torsor/study/table/study_layout.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/study/sampling/number_text.hpp"

namespace torsor {

namespace {

using Json = nlohmann::ordered_json;

Json described(const std::vector<StudyColumn>& columns) {
  Json out = Json::array();
  for (const auto& [name, unit, labels] : columns) {
    out.push_back({{"name", name}, {"unit", unit}});
    if (!labels.empty()) out.back()["labels"] = labels;
  }
  return out;
}

std::vector<StudyColumn> columns_in(const Json& json) {
  std::vector<StudyColumn> out;
  for (const Json& each : json) {
    out.push_back({each.at("name"), each.at("unit")});
    if (each.contains("labels"))
      out.back().labels = each.at("labels").get<std::vector<std::string>>();
  }
  return out;
}

}  // namespace

const char* name(SampleStatus status) {
  constexpr const char* names[n_sample_statuses] = {"not_run", "done",       "undefined",
                                                    "failed",  "over_limit", "started"};
  return names[size_t(status)];
}

std::string StudyColumn::head() const {
  return unit.empty() ? name : fmt::format("{} [{}]", name, unit);
}

std::string StudyColumn::text(double value) const {
  if (std::isnan(value)) return "";
  return labels.empty() ? number_text(value) : labels.at(size_t(value));
}

std::vector<std::string> column_names(const std::vector<StudyColumn>& columns) {
  std::vector<std::string> out;
  for (const StudyColumn& column : columns) out.push_back(column.name);
  return out;
}

std::string to_json(const StudyLayout& layout) {
  Json out{{"samples", layout.samples},
           {"shard", {{"index", layout.shard.index}, {"count", layout.shard.count}}},
           {"parameters", described(layout.parameters)},
           {"outcomes", described(layout.outcomes)},
           {"study", Json::parse(layout.description)}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

StudyLayout layout_of(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    StudyLayout out;
    out.samples = json.at("samples");
    out.shard = {json.at("shard").at("index"), json.at("shard").at("count")};
    out.parameters = columns_in(json.at("parameters"));
    out.outcomes = columns_in(json.at("outcomes"));
    out.description = json.at("study").dump(1, ' ', false, Json::error_handler_t::replace);
    if (out.shard.count == 0 || out.shard.index >= out.shard.count)
      throw Error("its description has an impossible shard");
    return out;
  } catch (const Json::exception&) {
    throw Error("its description is not that of a study");
  }
}

}  // namespace torsor
