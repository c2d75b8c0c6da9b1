// torsor edit and torsor view: run the program torsor_editor, which is installed in the same folder
// if it was built. The editor is a separate program because only it needs a window system.

#include <CLI/CLI.hpp>

#include "torsor/cli/options/command.hpp"
#include "torsor/cli/support/installed.hpp"

namespace torsor::cli {

namespace {

void add_window_command(CLI::App& app, const char* name, const char* summary,
                        std::vector<std::string> first) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->set_help_flag();  // torsor_editor prints the help page
  command->prefix_command();
  command->callback([command, first = std::move(first)] {
    std::vector<std::string> arguments = first;
    for (const std::string& each : command->remaining()) arguments.push_back(each);
    run_beside("torsor_editor", arguments,
               "build it with ./torsor edit, or with -DTORSOR_BUILD_EDITOR=ON");
  });
}

}  // namespace

void add_edit_command(CLI::App& app) {
  add_window_command(app, "edit", "Open a scene or a robot in a window", {});
}
void add_view_command(CLI::App& app) {
  add_window_command(app, "view", "Show a recording in a window", {"--view"});
}

}  // namespace torsor::cli
