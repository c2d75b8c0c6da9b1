#include "architecture/rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <string_view>
#include <utility>

namespace torsor::test {
namespace {

namespace fs = std::filesystem;

// The rooms, lowest first. A room may include itself and the rooms before it. The folders of
// scripting/ and cli/ are rooms of their own. "cli" stands for the files directly in cli/.
constexpr std::string_view rooms[] = {"spatial",
                                      "sdk",
                                      "base",
                                      "shapes",
                                      "model",
                                      "formats",
                                      "mechanics",
                                      "plugin",
                                      "loading",
                                      "handles",
                                      "batch",
                                      "host",
                                      "analysis",
                                      "identification",
                                      "symbolic",
                                      "constraints",
                                      "contact",
                                      "integration",
                                      "motions",
                                      "planning",
                                      "control",
                                      "simulation",
                                      "signals",
                                      "recording",
                                      "run",
                                      "study",
                                      "validation",
                                      "scripting/cache",
                                      "scripting/sandbox",
                                      "scripting/objects",
                                      "scripting/shapes",
                                      "scripting/sensors",
                                      "scripting/values",
                                      "scripting/plugins",
                                      "scripting/scene",
                                      "scripting/planning",
                                      "scripting/batch",
                                      "scripting/study",
                                      "scripting/prompt",
                                      "capi",
                                      "fmi",
                                      "cli/options",
                                      "cli/support",
                                      "cli/pages",
                                      "cli/eval",
                                      "cli/study",
                                      "cli/tune",
                                      "cli/exchange",
                                      "cli/fmu",
                                      "cli/commands",
                                      "cli",
                                      "mpi"};
constexpr size_t n_rooms = std::size(rooms);
// Rank of the highest room that plugins may include: sdk.
constexpr size_t plugin_reach = 1;

// The rooms of the editor, lowest first. The rooms of the window (from first_of_window on) share
// the class Editor and may include each other.
constexpr std::array<std::string_view, 14> editor_rooms = {
    "support", "edits",  "session", "probe",   "console", "widgets", "plot",
    "view",    "opengl", "video",   "dialogs", "actions", "app",     "panels"};
constexpr size_t first_with_imgui = 5, first_of_window = 9;

size_t rank(const std::string& room) {
  return size_t(std::find(std::begin(rooms), std::end(rooms), room) - std::begin(rooms));
}

// Returns the room of a path below engine/: "model" for model/joint.hpp and "cli/pages" for
// cli/pages/doctor.hpp, because the folders of cli/ are rooms.
std::string room_of(const fs::path& path) {
  auto part = path.begin();
  const std::string top = (part++)->string();
  const bool has_rooms =
      std::any_of(std::begin(rooms), std::end(rooms),
                  [&](std::string_view room) { return room.starts_with(top + "/"); });
  const bool in_folder = part != path.end() && std::next(part) != path.end();
  return has_rooms && in_folder ? top + "/" + part->string() : top;
}

struct Include {
  fs::path file;  // relative to the root
  size_t line;
  std::string name;
  bool quoted;
  std::string where() const { return file.generic_string() + ":" + std::to_string(line) + ": "; }
};

using LineVisitor = std::function<void(const fs::path& file, size_t line, const std::string& text)>;

void each_line(const fs::path& root, const std::vector<const char*>& tops,
               const LineVisitor& visit) {
  static const std::set<std::string> sources = {".h",  ".hpp", ".c",   ".cpp",
                                                ".cc", ".inl", ".ipp", ".sh"};
  std::vector<fs::path> files;
  for (const char* top : tops)
    for (const auto& entry : fs::recursive_directory_iterator(root / top))
      if (entry.is_regular_file() && sources.contains(entry.path().extension().string()))
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::ifstream in(file);
    std::string text;
    for (size_t line = 1; std::getline(in, text); ++line)
      visit(file.lexically_relative(root), line, text);
  }
}

void each_line(const fs::path& root, const LineVisitor& visit) {
  each_line(root, {"engine", "plugins", "editor"}, visit);
}

std::vector<Include> includes(const fs::path& root) {
  static const std::regex pattern(R"rx(^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>).*)rx");
  std::vector<Include> found;
  each_line(root, [&](const fs::path& file, size_t line, const std::string& text) {
    std::smatch match;
    if (std::regex_match(text, match, pattern))
      found.push_back(
          {file, line, match[1].matched ? match[1].str() : match[2].str(), match[1].matched});
  });
  return found;
}

// Returns the folder that a file belongs to: its room, or "plugins".
std::string owner(const fs::path& file) {
  const fs::path top = *file.begin();
  if (top == "plugins") return "plugins";
  return top == "engine" ? room_of(file.lexically_relative(top))
                         : std::next(file.begin())->string();
}

// Returns the room of an include "torsor/ROOM/...", or "" for other includes.
std::string named_room(const std::string& include) {
  constexpr std::string_view prefix = "torsor/";
  return include.starts_with(prefix) ? room_of(include.substr(prefix.size())) : "";
}

bool is_standard_header(const std::string& name) {
  return name.find('/') == std::string::npos && !name.ends_with(".hpp");
}

// Returns the folder that relative includes of a file must not leave: engine/ROOM, or
// plugins/KIND/PLUGIN. It is plugins/KIND if the plugin is a single file.
fs::path own_folder(const fs::path& file) {
  auto part = file.begin();
  fs::path folder = *part++;
  if (folder == "engine") return folder / owner(file);
  const int depth = folder == "plugins" ? 2 : 1;
  for (int i = 0; i < depth && std::next(part) != file.end(); ++i) folder /= *part++;
  return folder;
}

// Returns the rank of the room of a file of the editor, or editor_rooms.size() if its folder is not
// a room. All rooms of the window have the same rank, and so have files directly in editor/.
size_t editor_rank(const fs::path& file) {
  const std::string room = std::distance(file.begin(), file.end()) > 2 ? owner(file) : "app";
  const auto found = std::find(editor_rooms.begin(), editor_rooms.end(), room);
  if (found == editor_rooms.end()) return editor_rooms.size();
  return std::min(size_t(found - editor_rooms.begin()), first_of_window);
}

// Returns the violation of an include of the editor, or "". Rooms below widgets/ must not use a
// window. Only opengl/ and app/window.cpp may use OpenGL, so that all other files can be tested
// without it.
std::string editor_violation(const Include& include) {
  const std::string file = include.file.generic_string(), &name = include.name;
  const size_t reach = editor_rank(include.file);
  if (reach == editor_rooms.size())
    return "editor/" + owner(include.file) + " is not a room of the editor";
  if (const std::string room = named_room(name); !room.empty())
    return rank(room) == n_rooms ? "no room '" + room + "'" : "";
  if (include.quoted) {
    if (!name.starts_with("editor/")) return "write editor/FOLDER/FILE: " + name;
    const size_t to = editor_rank(name);
    if (to == editor_rooms.size()) return "no room of the editor: " + name;
    return to > reach ? owner(include.file) + " includes upward: " + name : "";
  }
  const auto is_of = [&](std::initializer_list<const char*> libraries) {
    return std::any_of(libraries.begin(), libraries.end(),
                       [&](const char* library) { return name.starts_with(library); });
  };
  if (reach < first_with_imgui && is_of({"imgui", "GLFW/", "epoxy/"}))
    return owner(include.file) + " includes a window: " + name;
  const bool draws = owner(include.file) == "opengl" || file == "editor/app/window.cpp";
  return is_of({"epoxy/"}) && !draws ? "includes OpenGL: " + name : "";
}

// Returns whether a header of the plugin ABI may include this header: another header of the ABI,
// stddef.h or stdint.h.
bool is_of_c_boundary(const std::string& name) {
  return name == "stddef.h" || name == "stdint.h" ||
         (name.starts_with("torsor/sdk/") && name.ends_with(".h"));
}

std::string violation(const Include& include) {
  if (*include.file.begin() == "editor") return editor_violation(include);
  const std::string from = owner(include.file), to = named_room(include.name);
  const size_t reach = from == "plugins" ? plugin_reach : rank(from);
  if (reach == n_rooms) return "engine/" + from + " is not a room of the engine";
  if (from == "sdk" && include.file.extension() == ".h")
    return is_of_c_boundary(include.name) ? "" : "the C boundary includes " + include.name;
  if (!to.empty()) {
    if (rank(to) == n_rooms) return "no room '" + to + "'";
    return rank(to) > reach ? from + " includes upward: " + include.name : "";
  }
  if (include.quoted) {
    const fs::path folder = own_folder(include.file);
    const fs::path target = (include.file.parent_path() / include.name).lexically_normal();
    const bool inside =
        std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first ==
        folder.end();
    return inside ? "" : "leaves its folder: " + include.name + " (write torsor/ROOM/FILE)";
  }
  if (reach <= plugin_reach && !is_standard_header(include.name))
    return from + " includes more than the standard library: " + include.name;
  return "";
}

}  // namespace

std::vector<std::string> include_violations(const std::filesystem::path& root) {
  std::vector<std::string> found;
  for (const Include& include : includes(root))
    if (std::string what = violation(include); !what.empty())
      found.push_back(include.where() + what);
  return found;
}

std::vector<std::string> joint_kind_violations(const std::filesystem::path& root) {
  static const std::regex label(R"(\bcase\s+(\w+::)*JointKind::)");
  static const std::regex comparison(
      R"((==|!=)\s*(\w+::)*JointKind::(?!fixed\b)|JointKind::(?!fixed\b)\w+\s*(==|!=))");
  static const std::regex opened(R"(\busing\s+enum\s+(\w+::)*JointKind\b)");
  std::vector<std::string> found;
  each_line(root, [&](const fs::path& file, size_t line, const std::string& text) {
    if (file == fs::path("engine/model/joint.cpp") || file == fs::path("engine/model/joint.hpp"))
      return;
    for (const std::regex* pattern : {&label, &comparison, &opened})
      if (std::regex_search(text, *pattern))
        found.push_back(file.generic_string() + ":" + std::to_string(line) +
                        ": distinguishes joint kinds: " + text);
  });
  return found;
}

std::vector<std::string> crowded_rooms(const std::filesystem::path& root) {
  constexpr size_t most = 25;
  std::map<std::string, std::set<fs::path>> folders;
  each_line(root, {"engine", "editor"}, [&](const fs::path& file, size_t, const std::string&) {
    folders[file.parent_path().generic_string()].insert(file);
  });
  std::vector<std::string> found;
  for (const auto& [folder, files] : folders)
    if (files.size() > most)
      found.push_back(folder + ": has " + std::to_string(files.size()) + " files, more than " +
                      std::to_string(most));
  return found;
}

std::vector<std::string> fixed_waits(const std::filesystem::path& root) {
  static const std::regex wait(R"(\b(sleep|usleep|nanosleep|sleep_for|sleep_until)\b)");
  static const std::regex shell_function(R"(^(\w+)\(\) ?\{.*)"), comment(R"(^\s*(//|#|\*).*)");
  std::vector<std::string> found;
  fs::path last;
  bool waits = false;  // inside a shell function whose name begins with wait_
  each_line(root, {"tests"}, [&](const fs::path& file, size_t line, const std::string& text) {
    if (std::exchange(last, file) != file) waits = false;
    if (file == fs::path("tests/support/eventually.hpp") ||
        *std::next(file.begin()) == "architecture")
      return;
    const bool may_match = text.find_first_of("{}") != text.npos || text.find("sleep") != text.npos;
    if (!may_match) return;
    std::smatch name;
    if (std::regex_match(text, name, shell_function)) waits = name[1].str().starts_with("wait_");
    if (!waits && std::regex_search(text, wait) && !std::regex_match(text, comment))
      found.push_back(file.generic_string() + ":" + std::to_string(line) +
                      ": waits for a fixed time: " + text);
    if (text.ends_with("}") && (text == "}" || std::regex_match(text, shell_function)))
      waits = false;
  });
  return found;
}

size_t count_includes(const std::filesystem::path& root) {
  return includes(root).size();
}

}  // namespace torsor::test
