#pragma once
// The commands of the program. Each file adds one command to the command line, with its work as the
// callback. The callback throws Error for a mistake of the user (exit status 2), and CheckFailed if
// the work is complete but a check failed (exit status 1).
// A new command is a file, a declaration here, a row in main.cpp and a row in README.md.

#include <stdexcept>

namespace CLI {
class App;
}

namespace torsor::cli {

// A check that failed. The message goes to stderr; if it is empty, standard output states the
// failure.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  CheckFailed() : std::runtime_error("") {}
};

void add_run_command(CLI::App& app);
void add_sweep_command(CLI::App& app);
void add_edit_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_ik_command(CLI::App& app);
void add_identify_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_plot_command(CLI::App& app);
void add_lint_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_new_command(CLI::App& app);
void add_plugins_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_trajectory_command(CLI::App& app);
void add_trust_command(CLI::App& app);

}  // namespace torsor::cli
