// The program torsor_editor, which `torsor edit` and `torsor view` run.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <new>
#include <utility>

#include "editor/app/window.hpp"
#include "editor/session/session_options.hpp"
#include "editor/session/viewed_recording.hpp"
#include "editor/support/fault_note.hpp"
#include "editor/video/picture.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/arguments.hpp"
#include "torsor/cli/options/permission.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/options/settings.hpp"
#include "torsor/cli/study/study_sample.hpp"
#include "torsor/cli/support/standard_output.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/study/table/study_reader.hpp"

namespace torsor::editor {
namespace {

struct Options {
  std::string file, size = "1280x800";
  std::vector<std::string> settings;
  std::vector<std::filesystem::path> plugins;
  std::filesystem::path actions;
  std::vector<std::string> packages;
  bool floating_base = false, allow_plugins = false;
  std::filesystem::path model;
  std::string sample;
  WindowOptions window;
};

void read_size(const std::string& text, WindowOptions& window) {
  char more = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &window.width, &window.height, &more) != 2 ||
      window.width < 1 || window.height < 1 || window.width > 16384 || window.height > 16384)
    throw Error(fmt::format(
        "--size is '{}'; it must be WIDTHxHEIGHT in pixels, from 1x1 to 16384x16384", text));
}

std::string list_of_actions() {
  std::string out =
      "A file of actions has one action on each line: SECONDS ACTION ARGUMENTS, as in '0.5 time.go "
      "1.2'. The actions are:\n";
  for (const Action* action : all_actions())
    out += fmt::format(
        "  {:<24} {:<16} {}{}\n", action->name, action->arguments, action->title,
        action->shortcut.key ? fmt::format(" ({})", shortcut_text(action->shortcut)) : "");
  return out;
}

// Adds the arguments and options of `torsor edit`, or of `torsor view`.
void add_options(CLI::App& app, Options& options, bool view) {
  if (view) {
    app.add_option("RUN", options.file, "recording, a .h5 or .csv file")->required();
    app.add_option("SCENE|ROBOT", options.model,
                   "scene or robot to show with the recording, instead of the one that it names");
  } else {
    app.add_option(
        "SCENE|ROBOT", options.file,
        fmt::format("scene: a .lua file that returns an experiment; a robot: a {} or .lua file; a "
                    "recording; or a study; by default, the window offers a choice",
                    robot_extensions()));
    app.add_option("--sample", options.sample,
                   "sample of a study to repeat, with its parameters and options: STUDY.h5:K")
        ->type_name("SAMPLE");
  }
  cli::add_set_option(app, options.settings);
  cli::add_floating_base_option(app, options.floating_base);
  cli::add_package_option(app, options.packages);
  app.add_option("--actions", options.actions, "file of actions to play")->type_name("FILE");
  app.add_option("--screenshot", options.window.screenshot,
                 "PNG file to write after the actions; then the window closes")
      ->type_name("FILE");
  app.add_option("--size", options.size, "size of the window in pixels")
      ->type_name("WIDTHxHEIGHT")
      ->capture_default_str();
  app.add_option("--scale", options.window.scale,
                 "size of the text, from 0.5 to 4; by default, the last used")
      ->type_name("X");
  app.add_option("--theme", options.window.theme, "dark or light; by default, the last used")
      ->check(cli::one_of({"dark", "light"}))
      ->type_name("NAME");
  cli::add_plugins_option(app, options.plugins);
  cli::add_allow_plugins_option(app, options.allow_plugins);
}

// Returns the options of the session. A study is opened in its panel, so that the session has no
// file.
SessionOptions session_options(Options& options, bool scripted) {
  std::shared_ptr<const cli::StudySample> sample;
  if (!options.sample.empty())
    sample = std::make_shared<cli::StudySample>(cli::read_study_sample(options.sample));
  std::vector<std::string> settings = options.settings;
  if (sample) settings.insert(settings.end(), sample->settings.begin(), sample->settings.end());
  if (is_study(options.file)) {
    if (!settings.empty() || options.floating_base)
      throw Error("--set, --sample and --floating-base are only for scenes and robots");
    options.window.study = std::exchange(options.file, "");
  }
  MeshAccess access;
  for (const std::string& package : options.packages) add_package(package, access);
  return {.file = options.file,
          .overrides = cli::read_settings(settings),
          .journal_folder = scripted ? "" : state_folder(),
          .model = options.model,
          .floating_base = options.floating_base,
          .packages = std::move(access.packages),
          .allow_plugins = options.allow_plugins,
          .trust = std::make_shared<Trust>(
              trust_file(), [](const std::string& why) { print_message("warning: " + why); }),
          .sample = std::move(sample)};
}

int run(int argc, char** argv) {
  Options options;
  // `torsor view` passes --view.
  const bool view = argc > 1 && std::string_view(argv[1]) == "--view";
  CLI::App app(view ? "Show a recording in a window" : "Open a scene or a robot in a window",
               view ? "torsor view" : "torsor edit");
  cli::begin_command_line(app);
  add_options(app, options, view);
  app.footer(list_of_actions);
  cli::end_command_line(app);
  try {
    app.parse(view ? argc - 1 : argc, view ? argv + 1 : argv);
  } catch (const CLI::Success& request) {
    const int status = app.exit(request);  // prints the help
    cli::flush_output();
    return status;
  } catch (const CLI::ParseError& error) {
    print_message(cli::explain(app, error));
    return 2;
  }
  read_size(options.size, options.window);
  if (options.window.screenshot) require_png("--screenshot", *options.window.screenshot);
  if (const auto scale = options.window.scale;
      scale && !(*scale >= 0.5f && *scale <= 4))  // CLI::Range would accept NaN
    throw Error(fmt::format("--scale is {}; it must be from 0.5 to 4", *scale));
  if (view && !is_recording(options.file))
    throw Error(fmt::format(
        "'{}' is not a recording (.h5 or .csv); open scenes and robots with `torsor edit`",
        options.file));
  if (view && is_study(options.file))
    throw Error(fmt::format("'{0}' is a study; open it with `torsor edit {0}`", options.file));
  if (const std::string why = options.file.empty() ? "" : why_no_file(options.file); !why.empty())
    throw Error(fmt::format("{}: {}", options.file, why));
  if (!options.actions.empty()) options.window.actions = ActionFile(options.actions);
  // A scripted window (screenshot or file of actions) uses neither the user's settings nor journals
  // of earlier windows. Its result is therefore the same in every run.
  const bool scripted = options.window.screenshot || !options.actions.empty();
  options.window.keep_settings = !scripted;
  options.window.command.assign(argv, argv + argc);
  options.window.file_word =
      size_t(std::find(argv + 1, argv + argc, std::string_view(options.file)) - argv);
  if (const std::filesystem::path folder = state_folder(); !scripted && !folder.empty()) {
    options.window.fault = take_fault_note(folder);
    keep_fault_note(folder);
  }
  options.window.for_others = scripted;
  const SessionOptions session = session_options(options, scripted);
  show_window(cli::require_plugins(options.plugins), session, std::move(options.window));
  return 0;
}

}  // namespace
}  // namespace torsor::editor

int main(int argc, char** argv) {
  torsor::cli::open_standard_files();
  torsor::report_faults();
  // Ignores SIGXFSZ: a write beyond the file size limit then fails with an error, as on a full
  // disk.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return torsor::editor::run(argc, argv);
  } catch (const torsor::Error& error) {
    torsor::print_message(error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    torsor::print_message("not enough memory for the window; use a smaller robot");
    return 2;
  } catch (const std::exception& error) {
    torsor::print_message(fmt::format("internal error: {}", error.what()));
    return 1;
  }
}
