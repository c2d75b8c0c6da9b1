// torsor edit: runs the editor's program, which stands beside this one where it was built: no other command needs a
// window system.

#include <CLI/CLI.hpp>

#include "torsor/cli/command.hpp"
#include "torsor/cli/installed.hpp"

namespace torsor::cli {

void add_edit_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("edit", "Open a scene or a robot in a window");
  command->set_help_flag();  // the editor has its own
  command->prefix_command();
  command->callback([command] {
    run_beside("torsor_editor", command->remaining(),
               "build it with ./torsor edit, or with -DTORSOR_BUILD_EDITOR=ON");
  });
}

}  // namespace torsor::cli
