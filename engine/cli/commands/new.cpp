// torsor new KIND NAME: creates a plugin project from the template files in
// share/torsor/templates/KIND/LANGUAGE. NAME in the file names and @NAME@ in the contents are
// replaced by the name of the plugin.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/plugin/plugin_kind.hpp"

namespace torsor::cli {
namespace {

namespace fs = std::filesystem;

struct NewOptions {
  std::string kind, name, language = "c++";
  fs::path folder;
};

// Returns the names of the entries of a template folder, sorted.
std::vector<std::string> names_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    names.push_back(it->path().filename());
  if (error)
    throw Error(fmt::format("the templates '{}' cannot be read ({}): install Torsor again",
                            folder.string(), error.message()));
  std::sort(names.begin(), names.end());
  return names;
}

void require_one_of(const std::vector<std::string>& known, const std::string& what,
                    const std::string& word) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    throw Error(fmt::format("there is no {} '{}'; available: {}{}", what, word,
                            fmt::join(known, ", "), did_you_mean(word, known)));
}

// Throws Error if the name is not valid for all uses: plugin id, CMake target and file name.
void check_name(const std::string& kind, const std::string& name) {
  const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto other = [](char c) { return (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || !letter(name[0]) ||
      !std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || other(c); }))
    throw Error(
        fmt::format("'{}' cannot be the name of a plugin: use lowercase letters, digits and '_', "
                    "with a letter first, as in 'my_{}'",
                    name, kind));
  constexpr const char* targets[] = {"all",  "clean",        "depend",  "edit_cache",
                                     "help", "install",      "package", "preinstall",
                                     "test", "rebuild_cache"};
  if (std::find(std::begin(targets), std::end(targets), name) != std::end(targets))
    throw Error(fmt::format("'{}' is already a target of CMake: use another name, such as 'my_{}'",
                            name, name));
  const Registry registry = find_plugins({});
  for (const PluginInfo& plugin : registry.plugins())
    if (plugin.id == kind + "." + name)
      throw Error(fmt::format("a {} '{}' already exists, in {}: use another name, such as 'my_{}'",
                              kind, name, plugin.file.string(), name));
}

void require_empty(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found) return;
  if (!fs::is_directory(status) || !fs::is_empty(folder, error) || error)
    throw Error(fmt::format("'{}' exists and is not an empty folder: choose another with --folder",
                            folder.string()));
}

std::string read(const fs::path& file) {
  return read_file(file, InputKind::script, "this template is missing: install Torsor again");
}

// Returns a path in quotes for a shell.
std::string shell_quoted(const fs::path& path) {
  return "'" + replaced(path.string(), "'", "'\\''") + "'";
}

void make_project(const NewOptions& options) {
  const fs::path templates = prefix() / "share/torsor/templates", kind = templates / options.kind;
  require_one_of(names_in(templates), "kind of plugin", options.kind);
  require_one_of(names_in(kind), "template of a " + options.kind + " in", options.language);
  check_name(options.kind, options.name);
  const fs::path folder = options.folder.empty() ? fs::path(options.name) : options.folder;
  require_empty(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw Error(
        fmt::format("the folder '{}' cannot be created: {}", folder.string(), error.message()));
  for (const std::string& name : names_in(kind / options.language)) {
    const fs::path file = folder / replaced(name, "NAME", options.name);
    write_file(file, replaced(read(kind / options.language / name), "@NAME@", options.name));
    fmt::print("{}\n", file.string());
  }
  if (fs::exists(folder / "CMakeLists.txt"))
    fmt::print(
        "\nTo build and test it:\n"
        "    cd {} && cmake -B build -DCMAKE_PREFIX_PATH={} && cmake --build build && ctest "
        "--test-dir build\n",
        shell_quoted(folder), shell_quoted(prefix()));
  else
    fmt::print("\nTo test it:\n    cd {} && torsor validate {}.lua\n", shell_quoted(folder),
               options.name);
  fmt::print("{} describes the next steps.\n", (folder / "README.md").string());
}

}  // namespace

void add_new_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("new", "Create a project for your own plugin");
  const auto options = std::make_shared<NewOptions>();
  command
      ->add_option("KIND", options->kind,
                   fmt::format("kind of the plugin: {}", fmt::join(plugin_kind_names(), ", ")))
      ->required();
  command
      ->add_option("NAME", options->name,
                   "name of the plugin, of lowercase letters, digits and '_', with a letter first")
      ->required();
  command
      ->add_option("--language", options->language,
                   "language of the template: c++; some kinds have others")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--folder", options->folder, "folder to write to; by default, NAME")
      ->type_name("FOLDER");
  command->footer("Example: torsor new solver my_solver");
  command->callback([options] { make_project(*options); });
}

}  // namespace torsor::cli
