// torsor fmu SCENE: exports a scene as a Functional Mock-up Unit for co-simulation, FMI 3.0
// or 2.0.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/cli/fmu/contents.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/run_settings.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/fmi/variables.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::cli {

namespace {

struct FmuOptions {
  std::string scene;
  std::filesystem::path out;
  int fmi = 3;
  RunSettings run;
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> plugins;
  bool allow_plugins = false;
};

size_t count(const std::vector<fmi::Variable>& variables, fmi::Variable::Kind kind) {
  return size_t(std::ranges::count(variables, kind, &fmi::Variable::kind));
}

void export_fmu(const FmuOptions& options) {
  const std::filesystem::path out = options.out.empty()
                                        ? std::filesystem::path(options.scene).stem().concat(".fmu")
                                        : options.out;
  if (out.extension() != ".fmu")
    throw Error(fmt::format("--out {}: the name must end in .fmu", out.string()));
  require_writable(out);
  const Registry plugins = require_plugins(options.plugins);
  Script script({.plugins = &plugins,
                 .permission = command_permission(options.allow_plugins),
                 .visuals = false});
  ExportedScene scene{
      FmiVersion(options.fmi), options.scene, read_settings(options.settings), options.run, {}, {}};
  scene.experiment = with_settings(script.load_scene(options.scene, scene.parameters), options.run);
  scene.files = script.files();
  const std::vector<ArchiveFile> files = fmu_files(scene);
  require_complete(files);
  write_archive(out, files);
  const std::vector<fmi::Variable> variables = fmi::variables_of(scene.experiment);
  using Kind = fmi::Variable::Kind;
  fmt::print("{}: {}, {}, {}\n", out.string(), counted(count(variables, Kind::input), "input"),
             counted(count(variables, Kind::parameter), "parameter"),
             counted(count(variables, Kind::output), "output"));
}

}  // namespace

void add_fmu_command(CLI::App& app) {
  auto options = std::make_shared<FmuOptions>();
  CLI::App* command =
      app.add_subcommand("fmu", "Export a scene as an FMU for co-simulation, FMI 3.0 or 2.0");
  command->add_option("SCENE", options->scene, "scene, a Lua file")->required();
  command->add_option("--out", options->out, "file to write, .fmu; default: the name of the scene")
      ->type_name("FILE");
  command->add_option("--fmi", options->fmi, "version of the standard, 2 or 3; default: 3")
      ->check(CLI::IsMember({2, 3}))
      ->type_name("VERSION");
  add_set_option(*command, options->settings);
  add_run_settings(*command, options->run);
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->allow_plugins);
  command->footer(
      "The FMU contains the engine, the plugins, the scene and the files that it reads. Inputs are "
      "the torques of the motors and the references of the controls, parameters those of the "
      "scene, and outputs the signals that it records, with units. docs/programs.md describes it.\n"
      "Example: torsor fmu scenes/double_pendulum.lua --out double_pendulum.fmu");
  command->callback([options] { export_fmu(*options); });
}

}  // namespace torsor::cli
