// torsor lua: runs a Lua script that is not a scene, such as the experiments of a paper.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/command.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/study/study_pictures.hpp"
#include "torsor/cli/study/study_progress.hpp"
#include "torsor/cli/study/study_show.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/plugin/plugin_call.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor::cli {

namespace {

struct LuaOptions {
  std::string script;
  std::vector<std::string> settings = {};
  std::vector<std::filesystem::path> plugins = {};
  std::filesystem::path folder = "recordings";
  bool allow_plugins = false;
};

// Limits of a script that the user has written for a long computation.
constexpr ScriptLimits limits{
    .steps = 1'000'000'000'000, .memory = size_t(4) << 30, .seconds = 1e9};

void run_script(const LuaOptions& options) {
  const ActivityScope runs({.subject = options.script.c_str()});
  const Registry registry = require_plugins(options.plugins);
  const Interruptible interruptible;
  StudyAccess studies;
  studies.folder = options.folder;
  studies.jobs = default_jobs();
  studies.progress = [](uint64_t rows, uint64_t before) {
    return [before, line = std::make_shared<StudyProgress>(rows, before)](uint64_t results) {
      was_interrupted();  // restarts the timer
      line->show(results - before, 0);
    };
  };
  studies.draw = [](const std::filesystem::path& table, const std::vector<std::string>& outcomes,
                    const std::string& picture, const std::filesystem::path& out) {
    const StudyReader study(table);
    draw_study(study, selected_outcomes(study.layout(), outcomes), picture, out);
  };
  Script script({.limits = limits,
                 .print = [](std::string_view line) { fmt::print("{}\n", line); },
                 .plugins = &registry,
                 .stop = &interruption(),
                 .permission = command_permission(options.allow_plugins),
                 .studies = &studies});
  try {
    script.run_file(options.script, read_settings(options.settings));
  } catch (const Error&) {
    if (was_interrupted())
      throw Interrupted(
          "interrupted; the tables keep what is done, and the same command continues");
    throw;
  }
}

}  // namespace

void add_lua_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("lua", "Run a Lua script that is not a scene, with studies");
  const auto options = std::make_shared<LuaOptions>();
  command->add_option("SCRIPT", options->script, "Lua file")->required();
  add_set_option(*command, options->settings);
  command->add_option("--folder", options->folder, "folder to write to")
      ->type_name("FOLDER")
      ->capture_default_str();
  add_plugins_option(*command, options->plugins);
  add_allow_plugins_option(*command, options->allow_plugins);
  command->footer(
      "The script calls torsor.study{...} and prints, exports and draws the results. It may use "
      "everything that a scene may use. A study whose table exists is continued.\n"
      "Example: torsor lua scenes/experiments.lua");
  command->callback([=] { run_script(*options); });
}

}  // namespace torsor::cli
