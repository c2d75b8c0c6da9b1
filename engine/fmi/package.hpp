#pragma once
// The folder resources/ of an FMU: the scene with its files, and how to load it.
//
//   resources/torsor.txt   the settings of the export, as lines KEY VALUE
//   resources/files/       the scene, its modules, robot files and meshes, as in their folders
//   resources/scripts/     modules of the installation
//   resources/plugins/     plugins

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "torsor/run/experiment.hpp"
#include "torsor/run/run_settings.hpp"
#include "torsor/scripting/sandbox/script_options.hpp"

namespace torsor::fmi {

// Files and folders below resources/.
inline constexpr const char* settings_file = "torsor.txt";
inline constexpr const char* files_folder = "files";
inline constexpr const char* scripts_folder = "scripts";
inline constexpr const char* plugins_folder = "plugins";

struct Package {
  std::string token;            // instantiationToken of modelDescription.xml
  std::filesystem::path scene;  // relative to resources/
  Overrides parameters;         // parameters of the scene that the export has set
  RunSettings settings;
};

// Returns the text of torsor.txt.
std::string text_of(const Package& package);
// Reads torsor.txt in a folder resources/. Throws Error if it is missing or damaged.
Package read_package(const std::filesystem::path& resources);

// Finds the plugins of a package. Generated solvers are not among them: they need a compiler.
std::shared_ptr<const Registry> find_plugins(const std::filesystem::path& resources);
// Loads the scene of a package. `parameters` replace those of the package. The scene may use every
// file below resources/, and no other file outside of the scene's folder. print: receives the lines
// that the scene prints. Throws Error.
Experiment load_package(const std::filesystem::path& resources, const Package& package,
                        const Registry& plugins, const Overrides& parameters,
                        const std::function<void(std::string_view)>& print);

}  // namespace torsor::fmi
