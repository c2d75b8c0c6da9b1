// torsor plugins doctor: checks all places where Torsor searches for plugins. Reports for each file
// why it is or is not used.

#include "torsor/cli/pages/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "torsor/base/error.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/loading/search_paths.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"

namespace torsor::cli {

namespace {

namespace fs = std::filesystem;

// The result for one file in a search place. If the place is a file, `file` is the place itself.
struct Diagnosis {
  fs::path file;
  std::vector<std::string> used;  // plugins that are used, such as "solver.newton_euler 1.0"
  std::vector<std::string> rejected, second;
};
struct SearchedPlace {
  std::string origin;
  fs::path path;
  std::string remark;  // why the place is not searched, or ""
  bool is_missing = false;
  std::vector<Diagnosis> files;
};

Diagnosis& diagnosis_of(SearchedPlace& place, const fs::path& file) {
  const auto found = std::ranges::find(place.files, file, &Diagnosis::file);
  if (found != place.files.end()) return *found;
  place.files.push_back({file, {}, {}, {}});
  return place.files.back();
}

void examine(SearchedPlace& place, const Registry& registry) {
  for (const PluginInfo& plugin : registry.plugins())
    if (plugin.path == place.path)
      diagnosis_of(place, plugin.file)
          .used.push_back(fmt::format("{} {} (ABI {}.{})", plugin.id, plugin.version,
                                      plugin.abi_major, plugin.abi_minor));
  for (const SkippedFile& file : registry.skipped())
    if (file.path == place.path) {
      Diagnosis& diagnosis = diagnosis_of(place, file.file);
      (file.is_second ? diagnosis.second : diagnosis.rejected).push_back(file.reason);
    }
  std::ranges::sort(place.files, {}, &Diagnosis::file);
}

// Examines all search places, in the order of the search.
std::vector<SearchedPlace> examine_all(const std::vector<fs::path>& given) {
  std::vector<SearchedPlace> places;
  for (const fs::path& path : given) places.push_back({"--plugins", path, "", false, {}});
  for (const fs::path& path : environment_plugin_paths())
    places.push_back({"TORSOR_PLUGIN_PATH", path, "", false, {}});
  if (places.size() == given.size())
    places.push_back({"TORSOR_PLUGIN_PATH", "", "is not set", false, {}});
  places.push_back({"your own plugins", own_plugin_path(), "", false, {}});
  places.push_back({"built-in plugins", built_in_plugin_path(), "", false, {}});
  std::vector<fs::path> paths;
  for (SearchedPlace& place : places) {
    std::error_code ignored;
    if (!place.remark.empty()) continue;
    if (std::ranges::find(paths, place.path) != paths.end())
      place.remark = "is listed above";
    else if (!fs::exists(place.path, ignored))
      place.is_missing = true;
    else
      paths.push_back(place.path);
  }
  const Registry registry(paths, load_plugin_script, FirstLoads::Tried::always);
  for (SearchedPlace& place : places) {
    if (place.is_missing)
      place.remark = place.path == own_plugin_path()
                         ? "does not exist: plugins that you put there are found by every command"
                         : "does not exist";
    else if (place.remark.empty())
      examine(place, registry);
  }
  return places;
}

void print_places(const std::vector<SearchedPlace>& places) {
  fmt::print(
      "Places in the order of the search; if two plugins have the same id, the first one is "
      "used.\n");
  for (const SearchedPlace& place : places) {
    fmt::print("\n{}{}{}{}{}\n", place.origin, place.path.empty() ? "" : ": ", place.path.string(),
               place.remark.empty() ? "" : " ", place.remark);
    if (place.files.empty() && place.remark.empty()) fmt::print("  no plugin files\n");
    for (const Diagnosis& file : place.files) {
      fmt::print("  {}\n", file.file == place.path
                               ? file.file.filename().string()
                               : file.file.lexically_relative(place.path).string());
      for (const std::string& plugin : file.used) fmt::print("    used      {}\n", plugin);
      for (const std::string& reason : file.second) fmt::print("    unused    it {}\n", reason);
      for (const std::string& reason : file.rejected) fmt::print("    rejected  it {}\n", reason);
    }
  }
}

nlohmann::ordered_json places_to_json(const std::vector<SearchedPlace>& places) {
  auto out = nlohmann::ordered_json::array();
  for (const SearchedPlace& place : places) {
    auto files = nlohmann::ordered_json::array();
    for (const Diagnosis& file : place.files)
      files.push_back({{"file", file.file.string()},
                       {"used", file.used},
                       {"unused", file.second},
                       {"rejected", file.rejected}});
    out.push_back({{"origin", place.origin},
                   {"path", place.path.string()},
                   {"remark", place.remark},
                   {"files", files}});
  }
  return out;
}

}  // namespace

void diagnose_plugins(const std::vector<fs::path>& given, bool json) {
  const std::vector<SearchedPlace> places = examine_all(given);
  if (json)
    fmt::print("{}\n", places_to_json(places).dump(
                           2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else
    print_places(places);
  for (const SearchedPlace& place : places)
    if (place.is_missing && (place.origin == "--plugins" || place.origin == "TORSOR_PLUGIN_PATH"))
      throw Error(fmt::format(
          "plugin path '{}' ({}) does not exist: give a plugin file or a folder of plugin files",
          place.path.string(), place.origin));
  size_t rejected = 0;
  for (const SearchedPlace& place : places)
    rejected += size_t(std::ranges::count_if(place.files, [](const Diagnosis& file) {
      std::error_code ignored;
      return !file.rejected.empty() && !fs::is_directory(file.file, ignored);
    }));
  if (rejected > 0)
    throw CheckFailed(
        fmt::format("{} plugin file{} cannot be used", rejected, rejected == 1 ? "" : "s"));
}

}  // namespace torsor::cli
