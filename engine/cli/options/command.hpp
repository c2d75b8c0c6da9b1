#pragma once
// The commands of the program. Each source file in commands/ adds one command to the command line.
// The command itself runs in a CLI11 callback, which throws one of these exceptions:
// - Error: the user has made a mistake (exit status 2).
// - CheckFailed: the command is complete, but a check has failed (exit status 1).
//
// To add a command, add a source file, a declaration here, a row in main.cpp and a row in
// README.md.

#include <stdexcept>

namespace CLI {
class App;
}

namespace torsor::cli {

// Thrown if a check has failed. The message is printed to stderr. An empty message means that the
// output of the command already states the failure.
class CheckFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  CheckFailed() : std::runtime_error("") {}
};

class StudyRanks;

void add_run_command(CLI::App& app);
void add_generate_command(CLI::App& app);
void add_study_command(CLI::App& app, StudyRanks* ranks);
void add_tune_command(CLI::App& app);
void add_edit_command(CLI::App& app);
void add_view_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_linearise_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_excite_command(CLI::App& app);
void add_export_command(CLI::App& app);
void add_fmu_command(CLI::App& app);
void add_gains_command(CLI::App& app);
void add_ik_command(CLI::App& app);
void add_import_command(CLI::App& app);
void add_identify_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_compare_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_plot_command(CLI::App& app);
void add_lint_command(CLI::App& app);
void add_inertia_command(CLI::App& app);
void add_inspect_command(CLI::App& app);
void add_bench_command(CLI::App& app);
void add_new_command(CLI::App& app);
void add_plugins_command(CLI::App& app);
void add_validate_command(CLI::App& app);
void add_trajectory_command(CLI::App& app);
void add_trust_command(CLI::App& app);
void add_lua_command(CLI::App& app);

}  // namespace torsor::cli
