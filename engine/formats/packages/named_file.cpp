#include "torsor/formats/packages/named_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor {

namespace {

namespace fs = std::filesystem;

// An environment variable with a list of folders, separated by colons.
struct SearchPath {
  const char* variable;
  const char* below;  // folder below each folder of the list
};
constexpr SearchPath ros_paths[] = {{"ROS_PACKAGE_PATH", ""}, {"AMENT_PREFIX_PATH", "share"}};
constexpr SearchPath gazebo_paths[] = {{"SDF_PATH", ""},
                                       {"GZ_SIM_RESOURCE_PATH", ""},
                                       {"IGN_GAZEBO_RESOURCE_PATH", ""},
                                       {"GAZEBO_MODEL_PATH", ""}};

std::vector<fs::path> entries_of(const SearchPath& path) {
  std::vector<fs::path> out;
  const char* value = std::getenv(path.variable);
  for (std::string_view rest = value ? value : ""; !rest.empty();) {
    const size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) out.push_back(fs::path(rest.substr(0, end)) / path.below);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

// Returns the name in the package.xml of a folder, or "" if there is none.
std::string package_of(const fs::path& folder) {
  const fs::path file = folder / "package.xml";
  if (resolved(file).parent_path() != resolved(folder)) return "";  // a link to another folder
  if (!why_unreadable(file, InputKind::robot).empty()) return "";
  const std::string content = read_file(file, InputKind::robot, "");
  tinyxml2::XMLDocument document;
  if (document.Parse(content.data(), content.size()) != tinyxml2::XML_SUCCESS) return "";
  const tinyxml2::XMLElement* root = document.RootElement();
  const tinyxml2::XMLElement* name = root ? root->FirstChildElement("name") : nullptr;
  const char* text = name ? name->GetText() : nullptr;
  return text ? text : "";
}

// Returns the folder of the file that names the file.
fs::path folder_of(const NamedFile& named) {
  return fs::path(named.source.substr(0, named.source.rfind(':'))).parent_path();
}

// Returns the possible paths of the file NAME/REST of a package, in the order of search.
std::vector<fs::path> places_in_packages(const std::string& in_package, const fs::path& folder,
                                         bool model, const MeshAccess& access) {
  std::vector<fs::path> out;
  const size_t slash = in_package.find('/');
  const std::string name = in_package.substr(0, slash);
  const std::string rest = slash == std::string::npos ? "" : in_package.substr(slash + 1);
  if (const auto given = access.packages.find(name); given != access.packages.end())
    out.push_back(given->second / rest);
  const auto add = [&](const fs::path& place) {
    if (place.filename() == name) out.push_back(place / rest);
    out.push_back(place / in_package);
  };
  std::error_code ignored;
  for (fs::path at = fs::absolute("." / folder, ignored).lexically_normal();;
       at = at.parent_path()) {
    if (!at.filename().empty()) add(at);
    if (at.filename() != name && package_of(at) == name) out.push_back(at / rest);
    if (at == at.parent_path()) break;
  }
  const auto add_all = [&](std::span<const SearchPath> paths) {
    for (const SearchPath& path : paths)
      for (const fs::path& place : entries_of(path)) add(place);
  };
  if (model) add_all(gazebo_paths);
  add_all(ros_paths);
  if (!model) add_all(gazebo_paths);
  return out;
}

std::vector<fs::path> places_of(const NamedFile& named, const MeshAccess& access) {
  const fs::path folder = folder_of(named);
  for (const std::string_view scheme : {"package://", "model://"})
    if (named.name.starts_with(scheme))
      return places_in_packages(named.name.substr(scheme.size()), folder, scheme == "model://",
                                access);
  constexpr std::string_view file_scheme = "file://";
  if (named.name.starts_with(file_scheme)) return {folder / named.name.substr(file_scheme.size())};
  if (named.name.find("://") != std::string::npos)
    throw Error("it is a URL, not a file name; use a path");
  return {folder / named.name};
}

bool is_in_a_package(const fs::path& file) {
  std::error_code ignored;
  for (fs::path at = file; at != at.parent_path(); at = at.parent_path())
    for (const char* description : {"package.xml", "model.config"})
      if (fs::is_regular_file(at / description, ignored)) return true;
  return false;
}

// Returns whether a robot file, not a script, names the file. The meshes of a robot file are often
// in a folder next to its own folder.
bool is_of_robot_file(const NamedFile& named) {
  return robot_format(named.source.substr(0, named.source.rfind(':'))) != nullptr;
}

// Returns whether a file is in a folder that may be read without permission.
bool is_in_open_folder(const fs::path& file, const NamedFile& named, const MeshAccess& access) {
  const auto below = [&](const fs::path& folder) { return is_below(file, folder); };
  const auto any_below = [&](const SearchPath& path) {
    return std::ranges::any_of(entries_of({path.variable, ""}), below);
  };
  if (named.is_part && access.is_of_script) return below("." / access.folder);
  if (below("." / access.folder) ||
      (is_of_robot_file(named) && below("." / folder_of(named) / "..")) || is_in_a_package(file) ||
      std::ranges::any_of(ros_paths, any_below) || std::ranges::any_of(gazebo_paths, any_below))
    return true;
  for (const auto& [name, folder] : access.packages)
    if (below(folder)) return true;
  return false;
}

// Throws Error for a place that may not be read. Names the folder to trust: that of the place. A
// script can read the message, so that it does not name the target of a symbolic link.
[[noreturn]] void fail_outside(const fs::path& place, bool is_link) {
  const std::string folder =
      is_link ? "FOLDER" : one_line(place.lexically_normal().parent_path().string());
  throw Error(
      fmt::format("it is {}outside the folder of the scene and outside packages; if you "
                  "trust it: torsor trust '{}'{}, then reload the scene",
                  is_link ? "a symbolic link to a place " : "", folder,
                  is_link ? " with the folder of this place" : ""));
}

[[noreturn]] void fail_missing(const std::vector<fs::path>& places, bool any_outside) {
  std::vector<std::string> looked;
  for (size_t k = 0; k < std::min<size_t>(places.size(), 3); ++k)
    looked.push_back(fmt::format("'{}'", one_line(places[k].lexically_normal().string())));
  throw Error(fmt::format(
      "file not found: {}{}{}", fmt::join(looked, ", nor "),
      places.size() > 3 ? fmt::format(", nor in {} other places", places.size() - 3) : "",
      any_outside ? "; a place outside the folder of the scene and outside packages is searched if "
                    "you trust it: torsor trust 'FOLDER'"
                  : ""));
}

}  // namespace

bool may_read(const fs::path& file, const NamedFile& named, const MeshAccess& access) {
  return is_in_open_folder(file, named, access) ||
         (access.permission && access.permission(file, named.source));
}

bool is_readable_file(const fs::path& file, const NamedFile& named, const MeshAccess& access) {
  std::error_code ignored;
  return may_read(resolved(file), named, access) && fs::is_regular_file(file, ignored);
}

FilePermission asked_once(FilePermission permission) {
  if (!permission) return permission;
  const auto answers = std::make_shared<std::map<fs::path, bool>>();
  return [permission = std::move(permission), answers](const fs::path& file,
                                                       const std::string& source) {
    const auto [answer, is_new] = answers->emplace(file, false);
    if (is_new) answer->second = permission(file, source);
    return answer->second;
  };
}

fs::path find_file(const NamedFile& named, MeshAccess access, const FileTest& exists) {
  access.permission = asked_once(access.permission);
  const std::vector<fs::path> places = places_of(named, access);
  std::vector<fs::path> outside;
  for (const fs::path& place : places)
    if (!is_in_open_folder(resolved(place), named, access))
      outside.push_back(place);
    else if (exists(place, access))
      return place;
  // A single place needs permission whether it exists or not. Of the many places in which a package
  // is searched, only those that exist are worth a question.
  for (const fs::path& place : outside)
    if ((places.size() == 1 || exists(place, access)) && may_read(resolved(place), named, access) &&
        exists(place, access))
      return place;
  if (places.size() == 1 && !outside.empty() && !may_read(resolved(places[0]), named, access)) {
    const fs::path &place = places[0], folder = resolved(place.parent_path());
    fail_outside(place, is_in_open_folder(folder / place.filename(), named, access));
  }
  fail_missing(places, !outside.empty());
}

void add_package(const std::string& text, MeshAccess& access) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw Error(fmt::format("--package {}: give NAME=FOLDER", text));
  const fs::path folder = text.substr(equals + 1);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored))
    throw Error(fmt::format("--package {}: there is no folder '{}'", text, folder.string()));
  access.packages[text.substr(0, equals)] = folder;
}

}  // namespace torsor
