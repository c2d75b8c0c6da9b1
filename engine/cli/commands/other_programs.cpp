// torsor edit, torsor view and torsor bench: run the programs torsor_editor and torsor_bench, which
// are installed in the same folder if they were built. They are separate programs because only they
// need a window system and Google Benchmark.

#include <CLI/CLI.hpp>

#include "torsor/cli/options/command.hpp"
#include "torsor/cli/support/installed.hpp"

namespace torsor::cli {

namespace {

// Adds a command that runs a program. The program prints the help page.
void add_program_command(CLI::App& app, const char* name, const char* summary, const char* program,
                         std::vector<std::string> first, const char* remedy) {
  CLI::App* command = app.add_subcommand(name, summary);
  command->set_help_flag();
  command->prefix_command();
  command->callback([=, first = std::move(first)] {
    std::vector<std::string> arguments = first;
    for (const std::string& each : command->remaining()) arguments.push_back(each);
    run_beside(program, arguments, remedy);
  });
}

constexpr const char* editor_remedy =
    "build it with ./torsor edit, or with -DTORSOR_BUILD_EDITOR=ON";

}  // namespace

void add_edit_command(CLI::App& app) {
  add_program_command(app, "edit", "Open a scene or a robot in a window", "torsor_editor", {},
                      editor_remedy);
}
void add_view_command(CLI::App& app) {
  add_program_command(app, "view", "Show a recording in a window", "torsor_editor", {"--view"},
                      editor_remedy);
}
void add_bench_command(CLI::App& app) {
  add_program_command(app, "bench", "Measure the speed of solvers on robots", "torsor_bench", {},
                      "build it with ./torsor bench, or with -DTORSOR_BUILD_BENCH=ON");
}

}  // namespace torsor::cli
