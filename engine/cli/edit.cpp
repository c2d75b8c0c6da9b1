// torsor edit: runs the editor's program, which stands beside this one where it was built: no other command needs a
// window system.

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "torsor/cli/command.hpp"
#include "torsor/model/error.hpp"

namespace torsor::cli {

namespace {

void edit(const std::vector<std::string>& arguments) {
  std::error_code failed;
  const std::filesystem::path editor =
      std::filesystem::read_symlink("/proc/self/exe", failed).parent_path() / "torsor_editor";
  std::vector<char*> argv{const_cast<char*>(editor.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(editor.c_str(), argv.data());
  throw Error(fmt::format("the editor '{}' cannot be started ({}): build it with ./torsor edit",
                          editor.string(), std::strerror(errno)));
}

}  // namespace

void add_edit_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("edit", "Open a scene or a robot in a window");
  command->set_help_flag();  // the editor has its own
  command->prefix_command();
  command->callback([command] {
    std::vector<std::string> arguments = command->remaining();
    edit(arguments);
  });
}

}  // namespace torsor::cli
