#include "editor/app/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "torsor/model/error.hpp"
#include "torsor/simulation/output_file.hpp"

namespace torsor::editor {

namespace {

namespace fs = std::filesystem;

fs::path base_folder(const char* variable, const char* below_home) {
  if (const char* folder = std::getenv(variable); folder && *folder) return folder;
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / below_home;
  return "";
}

float part(const nlohmann::json& json, const char* key, float low, float high) {
  const float value = json.at(key);
  if (!(value >= low && value <= high))
    throw Error(fmt::format("{} is {}; it is from {} to {}", key, value, low, high));
  return value;
}

}  // namespace

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
    const auto json = nlohmann::json::parse(std::ifstream(file));
    out.dark = json.at("theme") == "dark";
    out.scale = part(json, "scale", 0, 4);
    out.left = part(json, "left", 0, 0.45f);
    out.right = part(json, "right", 0, 0.45f);
    for (const auto& [name, pane] : json.at("panes").items())
      out.panes[name] = {pane.at("open"), part(pane, "weight", 0.01f, 100)};
  } catch (const std::exception& error) {
    const fs::path aside = file.string() + ".old";
    fs::rename(file, aside, ignored);
    throw Error(fmt::format(
        "{}: these are no settings of the editor: {}; the first ones are used, and the file is now '{}'",
        file.string(), error.what(), aside.string()));
  }
  return out;
}

void write_settings(const fs::path& file, const Settings& settings) {
  nlohmann::ordered_json json{{"theme", settings.dark ? "dark" : "light"},
                              {"scale", settings.scale},
                              {"left", settings.left},
                              {"right", settings.right},
                              {"panes", nlohmann::ordered_json::object()}};
  for (const auto& [name, pane] : settings.panes)
    json["panes"][name] = {{"open", pane.open}, {"weight", pane.weight}};
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  write_file(file, json.dump(1) + "\n");
}

}  // namespace torsor::editor
