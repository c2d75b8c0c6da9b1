#include "torsor/cli/fmu/contents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/base/text.hpp"
#include "torsor/handles/solver.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::cli {

namespace {

namespace fs = std::filesystem;

// Returns the name of the platform, the folder of the machine code.
const char* platform(FmiVersion version) {
#if defined(__aarch64__)
  (void)version;  // FMI 2.0 does not name this platform
  return "aarch64-linux";
#else
  return version == FmiVersion::two ? "linux64" : "x86_64-linux";
#endif
}

constexpr const char* advice = "the FMU needs it";

// Paths in resources/, with the files that they are copies of.
using Copies = std::map<fs::path, fs::path>;

// Returns the deepest folder that contains all files.
fs::path common_folder(const std::vector<fs::path>& files) {
  fs::path out = files.front().parent_path();
  for (const fs::path& file : files)
    while (!is_below(file, out)) out = out.parent_path();
  return out;
}

// Adds the files that the script has read, each relative to the others as on the disk, and returns
// the path of the scene in resources/.
fs::path add_files(const ExportedScene& scene, Copies& out) {
  const fs::path scripts = resolved(default_script_folder());
  std::vector<fs::path> read = {resolved(scene.file)};
  for (const fs::path& file : scene.files)
    if (fs::is_regular_file(file)) read.push_back(resolved(file));
  // Plugins that the scene has added are files of the scene.
  for (const PluginInfo& plugin : scene.experiment.plugins->plugins())
    if (plugin.path.empty()) read.push_back(resolved(plugin.file));
  std::vector<fs::path> own;
  for (const fs::path& file : read) {
    if (is_below(file, scripts) && file != read.front()) {
      out[fmi::scripts_folder / file.lexically_relative(scripts)] = file;
    } else {
      own.push_back(file);
    }
  }
  const fs::path root = common_folder(own);
  for (const fs::path& file : own) out[fmi::files_folder / file.lexically_relative(root)] = file;
  return fmi::files_folder / own.front().lexically_relative(root);
}

// Adds the plugins that were found in search paths, with their variants for other processors.
void add_plugins(const Registry& plugins, Copies& out) {
  std::set<fs::path> added;
  for (const PluginInfo& plugin : plugins.plugins()) {
    if (plugin.path.empty() || !added.insert(plugin.file).second) continue;
    const fs::path folder = fs::is_directory(plugin.path) ? plugin.path : plugin.path.parent_path();
    const fs::path name = plugin.file.filename(), target = fmi::plugins_folder;
    out.emplace(target / name, plugin.level.empty() ? plugin.file : folder / name);
    for (const char* level : {"x86-64-v3", "x86-64-v4"})
      if (fs::is_regular_file(folder / level / name))
        out.emplace(target / level / name, folder / level / name);
  }
}

// A temporary folder that is removed at the end.
struct ScratchFolder {
  fs::path path;
  ScratchFolder() {
    std::string name = fs::temp_directory_path() / "torsor-fmu-XXXXXX";
    if (!mkdtemp(name.data())) cannot_write(name, std::strerror(errno));
    path = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
};

// Throws Error if the solver is compiled for each model, which needs a compiler and the headers.
void require_no_generated_solver(const Experiment& experiment) {
  const std::string_view name = without_kind(experiment.solver);
  for (const PluginInfo& plugin : experiment.plugins->generated())
    if (name.substr(0, name.find('(')) == without_kind(plugin.id))
      throw Error(fmt::format(
          "an FMU cannot contain the solver '{}', which needs a compiler; choose another one with "
          "--solver, such as --solver articulated_body",
          name));
}

std::string read_copy(const fs::path& file) {
  const InputKind kind = file.extension() == ".so" ? InputKind::plugin
                         : is_script(file)         ? InputKind::script
                                                   : InputKind::mesh;
  return read_file(file, kind, advice);
}

// Returns a token that differs for different contents.
std::string token_of(const std::vector<ArchiveFile>& files, const std::string& settings) {
  Hash hash;
  for (const ArchiveFile& file : files) {
    hash.add(file.name);
    hash.add(file.content);
  }
  hash.add(settings);
  return fmt::format("torsor-{:016x}", hash.value());
}

}  // namespace

void require_complete(const std::vector<ArchiveFile>& files) {
  const ScratchFolder scratch;
  constexpr std::string_view prefix = "resources/";
  for (const ArchiveFile& file : files)
    if (file.name.starts_with(prefix))
      write_file(scratch.path / file.name.substr(prefix.size()), file.content);
  const fmi::Package package = fmi::read_package(scratch.path);
  const std::shared_ptr<const Registry> plugins = fmi::find_plugins(scratch.path);
  try {
    fmi::load_package(scratch.path, package, *plugins, {}, [](std::string_view) {});
  } catch (const Error& error) {
    throw Error(fmt::format(
        "the scene cannot be loaded from its copy in the FMU ({}); name its files relative to its "
        "folder",
        replaced(error.what(), scratch.path.string() + "/", "")));
  }
}

std::vector<ArchiveFile> fmu_files(const ExportedScene& scene) {
  require_no_generated_solver(scene.experiment);
  const std::vector<fmi::Variable> variables = fmi::variables_of(scene.experiment);
  ModelDescription description;
  description.version = scene.version;
  description.model_name = scene.file.stem().string();
  description.identifier = identifier_of(description.model_name);
  Copies copies;
  fmi::Package package;
  package.scene = add_files(scene, copies);
  package.parameters = scene.parameters;
  package.settings = scene.settings;
  add_plugins(*scene.experiment.plugins, copies);
  std::vector<ArchiveFile> out;
  out.push_back({fmt::format("binaries/{}/{}.so", platform(scene.version), description.identifier),
                 read_file(prefix() / "lib/torsor/fmi/fmu.so", InputKind::plugin,
                           "build it with the target torsor_fmu, or reinstall Torsor"),
                 true});
  for (const auto& [name, file] : copies)
    out.push_back({"resources/" + name.generic_string(), read_copy(file)});
  package.token = description.token = token_of(out, text_of(package));
  out.insert(out.begin(),
             {"modelDescription.xml", model_description(description, scene.experiment, variables)});
  out.push_back({fmt::format("resources/{}", fmi::settings_file), text_of(package)});
  return out;
}

}  // namespace torsor::cli
