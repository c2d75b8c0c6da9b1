#include "torsor/cli/study/table_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/scripting/study/study_settings.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::cli {

void add_table_options(CLI::App& command, TableOptions& options, const char* default_name) {
  command.add_option("--jobs", options.jobs, "number of workers; by default, one for each core")
      ->check(number_between(1, most_jobs))
      ->type_name("N");
  command
      .add_option("--out", options.out,
                  fmt::format("table to write, .h5; by default, FOLDER/{}", default_name))
      ->type_name("FILE");
  command.add_flag("--resume", options.resume, "continue the table, if it exists");
  command.add_flag("--replace", options.replace, "replace the table, if it exists");
  command.add_option("--limit", options.limit, "wall time of a sample, s; by default, no limit")
      ->check(number_between(1e-3, 1e9))
      ->type_name("S");
  command.add_option("--folder", options.folder, "folder to write to")
      ->type_name("FOLDER")
      ->capture_default_str();
}

std::filesystem::path table_path(const TableOptions& options, const std::string& name) {
  if (options.out.empty()) return options.folder / name;
  if (std::filesystem::path(options.out).extension() != ".h5")
    throw Error(fmt::format("--out {}: the name of a study ends in .h5", options.out));
  return options.out;
}

StudyTable open_table(const TableOptions& options, const std::filesystem::path& path,
                      const std::function<StudyTable()>& open,
                      const std::function<StudyLayout()>& layout) {
  const bool exists = std::filesystem::exists(path);
  if (exists && options.resume) return open();
  if (exists && !options.replace)
    throw Error(fmt::format(
        "'{}' exists: continue it with --resume, replace it with --replace, or write to another "
        "file with --out",
        path.string()));
  try {
    return StudyTable::create(path, layout());
  } catch (const Stopped&) {
    throw Interrupted("interrupted in the nominal run, before the first sample");
  }
}

unsigned jobs_of(const TableOptions& options) {
  return worker_count(options.jobs);
}

void add_scene_options(CLI::App& command, SceneOptions& options) {
  add_set_option(command, options.settings);
  add_run_settings(command, options.run);
  add_plugins_option(command, options.plugins);
  add_allow_plugins_option(command, options.allow_plugins);
}

StudiedSceneRequest scene_request(const SceneOptions& options, const Registry& registry,
                                  double limit) {
  const RunSettings& run = options.run;
  return {.scene = {.file = options.scene,
                    .settings = read_settings(options.settings),
                    .change =
                        [run](Experiment experiment) {
                          return with_settings(std::move(experiment), run);
                        },
                    .plugins = &registry,
                    .permission = options.permission,
                    .stop = &interruption()},
          .options = study_settings(run),
          .limit = limit};
}

}  // namespace torsor::cli
