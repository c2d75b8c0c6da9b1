#include "torsor/study/study_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "torsor/base/input_file.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/loading/plugin_image.hpp"

namespace torsor {

namespace {

using Json = nlohmann::ordered_json;

Json describe_files(const std::vector<std::filesystem::path>& files) {
  Json out = Json::array();
  for (const std::filesystem::path& file : files) {
    out.push_back({{"name", file.string()}, {"sha256", sha256_of(file)}});
    if (is_script(file)) out.back()["text"] = read_file(file, InputKind::script, "restore it");
  }
  return out;
}

Json describe_plugins(const Registry& plugins) {
  Json out = Json::array();
  for (const PluginInfo& plugin : plugins.plugins()) {
    out.push_back({{"id", plugin.id}, {"version", plugin.version}, {"sha256", plugin.sha256}});
    if (!plugin.level.empty()) out.back()["processor_level"] = plugin.level;
  }
  return out;
}

Json value_of(const SceneParameter& value) {
  return std::visit([](const auto& given) -> Json { return given; }, value);
}

Json describe_parameters(const std::vector<StudyParameter>& parameters) {
  Json out = Json::array();
  for (const StudyParameter& parameter : parameters) {
    out.push_back({{"name", parameter.name},
                   {"unit", parameter.unit},
                   {"nominal", value_of(parameter.nominal)}});
    if (parameter.distribution) out.back()["distribution"] = parameter.distribution->text();
  }
  return out;
}

Json json_of_plan(const PlanRequest& request, const PlanAxes& axes) {
  if (request.table) {
    Json columns = Json::object();
    for (const TextTable::Column& column : request.table->columns)
      columns[column.name] = column.values;
    return {{"table", columns}};
  }
  if (!request.grid.empty()) {
    Json grid = Json::object();
    for (const GridAxis& axis : request.grid) grid[axis.parameter] = axis.values;
    return {{"grid", grid}};
  }
  if (request.samples == 0) return {{"grid", "all combinations"}};
  return {{"design", request.design},
          {"samples", request.samples},
          {"seed", request.seed},
          {"axes", axes}};
}

std::string file_difference(const Json& before, const Json& now) {
  for (const Json& file : before) {
    const auto same = [&](const Json& other) { return other.at("sha256") == file.at("sha256"); };
    if (std::ranges::none_of(now, same))
      return fmt::format("the file '{}' has changed since", file.at("name").get<std::string>());
  }
  if (now.size() != before.size()) return "the scene reads other files";
  return "";
}

// Returns the processor level of a plugin file. A file for every processor has the lowest level.
std::string level_of(const Json& plugin) {
  return plugin.value("processor_level", "x86-64");
}

std::string plugin_difference(const Json& before, const Json& now) {
  for (const Json& plugin : before) {
    const std::string id = plugin.at("id");
    const auto found = std::ranges::find_if(
        now, [&](const Json& other) { return other.at("id") == plugin.at("id"); });
    if (found == now.end()) return fmt::format("the plugin '{}' is missing", id);
    if (found->at("sha256") == plugin.at("sha256")) continue;
    const std::string level = level_of(plugin), present = level_of(*found);
    if (level == present) return fmt::format("the plugin '{}' has changed since", id);
    return fmt::format(
        "the plugin '{}' was built for processors {}, and here it is built for {}; set "
        "TORSOR_PROCESSOR={} for both",
        id, level, present, std::min(level, present));
  }
  return "";
}

std::string member_difference(const Json& before, const Json& now, const char* member,
                              const char* what) {
  if (before.at(member) == now.at(member)) return "";
  return fmt::format("it has other {}: {}, not {}", what, before.at(member).dump(),
                     now.at(member).dump());
}

// Returns the first difference of the requests of two tunings, or "" if one of them is none.
std::string tuning_difference(const Json& before, const Json& now) {
  if (!before.contains("tuning") || !now.contains("tuning")) return "";
  for (const auto& [key, value] : before.at("tuning").items())
    if (const Json other = now.at("tuning").value(key, Json()); other != value)
      return fmt::format("it was tuned with {} = {}, not {}", key, value.dump(), other.dump());
  return "";
}

std::string difference(const std::string& before_text, const std::string& now_text, bool whole) {
  const Json before = Json::parse(before_text), now = Json::parse(now_text);
  if (before.at("torsor") != now.at("torsor"))
    return fmt::format("it was made with version {} of torsor",
                       before.at("torsor").get<std::string>());
  std::string out = file_difference(before.at("files"), now.at("files"));
  if (out.empty()) out = plugin_difference(before.at("plugins"), now.at("plugins"));
  if (!whole) return out;
  if (out.empty()) out = member_difference(before, now, "settings", "settings");
  if (out.empty()) out = tuning_difference(before.at("plan"), now.at("plan"));
  if (out.empty()) out = member_difference(before, now, "plan", "samples");
  if (out.empty()) out = member_difference(before, now, "parameters", "parameters");
  return out;
}

}  // namespace

std::string describe_study(const StudyOrigin& origin, const std::vector<StudyParameter>& parameters,
                           const std::string& plan) {
  Json out{{"torsor", TORSOR_VERSION},
           {"scene", origin.scene.string()},
           {"settings", origin.settings},
           {"plan", Json::parse(plan)},
           {"parameters", describe_parameters(parameters)},
           {"plugins", describe_plugins(*origin.plugins)},
           {"files", describe_files(origin.files)}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::string describe_plan(const PlanRequest& request, const PlanAxes& axes) {
  return json_of_plan(request, axes).dump(-1, ' ', false, Json::error_handler_t::replace);
}

PlanAxes sensitivity_axes(const std::string& description) {
  const Json plan = Json::parse(description).value("plan", Json::object());
  if (plan.value("design", "") != "saltelli") return {};
  return plan.at("axes").get<PlanAxes>();
}

std::string study_difference(const std::string& before, const std::string& now) {
  return difference(before, now, true);
}

std::string scene_difference(const std::string& before, const std::string& now) {
  return difference(before, now, false);
}

}  // namespace torsor
