#include "editor/app/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "editor/support/json_words.hpp"
#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/json_text.hpp"
#include "torsor/base/output_file.hpp"

namespace torsor::editor {

namespace {

namespace fs = std::filesystem;

fs::path base_folder(const char* variable, const char* below_home) {
  if (const char* folder = std::getenv(variable); folder && *folder) return folder;
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / below_home;
  return "";
}

constexpr const char* columns[] = {"left", "center", "right"};
constexpr struct {
  const char *name, *title;
} pane_names[] = {{"left_top", "top left"},     {"left_bottom", "bottom left"},
                  {"center_top", "top center"}, {"center_bottom", "bottom center"},
                  {"right_top", "top right"},   {"right_bottom", "bottom right"}};

float part(const nlohmann::json& json, const char* key, float low, float high) {
  const float value = json.at(key);
  if (!(value >= low && value <= high))
    throw Error(fmt::format("{} is {}; it must be from {} to {}", key, value, low, high));
  return value;
}

}  // namespace

const char* name(Pane pane) {
  return pane_names[size_t(pane)].name;
}
const char* title(Pane pane) {
  return pane_names[size_t(pane)].title;
}

Pane pane(std::string_view wanted) {
  std::vector<std::string> names;
  for (const Pane each : all_panes) {
    if (name(each) == wanted) return each;
    names.emplace_back(name(each));
  }
  throw Error(fmt::format("there is no pane '{}'; the panes are {}{}", wanted,
                          fmt::join(names, ", "), did_you_mean(std::string(wanted), names)));
}

fs::path settings_file() {
  const fs::path folder = base_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? "" : folder / "torsor/editor.json";
}

fs::path state_folder() {
  const fs::path folder = base_folder("XDG_STATE_HOME", ".local/state");
  return folder.empty() ? "" : folder / "torsor/editor";
}

Settings read_settings(const fs::path& file) {
  Settings out;
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return out;
  try {
    const auto json = parse_json(read_file(file, InputKind::settings, "the window makes a new one"),
                                 file.string());
    out.dark = json.at("theme") == "dark";
    if (json.at("scale") != 0) out.scale = part(json, "scale", 0.5f, 4);
    out.left = part(json, "left", 0, 0.45f);
    out.right = part(json, "right", 0, 0.45f);
    for (size_t k = 0; k < out.top.size(); ++k) out.top[k] = part(json.at("top"), columns[k], 0, 1);
    for (const Pane each : all_panes) out.front[size_t(each)] = json.at("front").at(name(each));
    for (const auto& [panel, state] : json.at("panels").items())
      out.panels[panel] = {state.at("open"), pane(std::string(state.at("pane")))};
    out.recent = json.at("recent");
  } catch (const std::exception& error) {
    const fs::path aside = file.string() + ".old";
    fs::rename(file, aside, ignored);
    throw Error(fmt::format(
        "{}: the settings of the editor cannot be read: {}; the defaults are used, and the file "
        "was moved to '{}'",
        file.string(), in_words(error), aside.string()));
  }
  return out;
}

void write_settings(const fs::path& file, const Settings& settings) {
  nlohmann::ordered_json json{{"theme", settings.dark ? "dark" : "light"},
                              {"scale", settings.scale},
                              {"left", settings.left},
                              {"right", settings.right},
                              {"top", nlohmann::ordered_json::object()},
                              {"front", nlohmann::ordered_json::object()},
                              {"panels", nlohmann::ordered_json::object()},
                              {"recent", settings.recent}};
  for (size_t k = 0; k < settings.top.size(); ++k) json["top"][columns[k]] = settings.top[k];
  for (const Pane each : all_panes) json["front"][name(each)] = settings.front[size_t(each)];
  for (const auto& [panel, state] : settings.panels)
    json["panels"][panel] = {{"open", state.open}, {"pane", name(state.pane)}};
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  write_file(file, json.dump(1) + "\n");
}

}  // namespace torsor::editor
