#pragma once
// The commands of the program. Each file adds its own to the command line, with what it does as the callback:
// it throws Error for what the user did wrong (exit status 2), and CheckFailed where it did its work and
// found that what it checks does not hold (1). A new one is a declaration here and a row in main.cpp.

#include <stdexcept>

namespace CLI {
class App;
}

namespace torsor::cli {

class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void add_run_command(CLI::App& app);
void add_sweep_command(CLI::App& app);
void add_edit_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_ik_command(CLI::App& app);
void add_identify_command(CLI::App& app);
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

}  // namespace torsor::cli
