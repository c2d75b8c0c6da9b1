#include <cstdlib>
#include <string_view>

#include "torsor/cli/options/command.hpp"
#include "torsor/cli/run_program.hpp"
#include "torsor/cli/support/installed.hpp"

namespace torsor::cli {
namespace {

// Returns whether this process is one of an MPI job, and its command is `study`.
bool is_mpi_study(int argc, char** argv) {
  return argc > 1 && std::string_view(argv[1]) == "study" && std::getenv("OMPI_COMM_WORLD_SIZE");
}

}  // namespace
}  // namespace torsor::cli

int main(int argc, char** argv) {
  using namespace torsor::cli;
  const auto add_study = [=](CLI::App& app) {
    if (is_mpi_study(argc, argv))
      run_beside("torsor_mpi", {argv + 1, argv + argc},
                 "build it with 'mpirun -n 1 ./torsor study --help' in the checkout");
    add_study_command(app, nullptr);
  };
  const AddCommand commands[] = {add_run_command,        add_study,
                                 add_tune_command,       add_lua_command,
                                 add_edit_command,       add_view_command,
                                 add_eval_command,       add_linearise_command,
                                 add_explain_command,    add_ik_command,
                                 add_compare_command,    add_excite_command,
                                 add_identify_command,   add_gains_command,
                                 add_bench_command,      add_convert_command,
                                 add_plot_command,       add_lint_command,
                                 add_inertia_command,    add_inspect_command,
                                 add_trajectory_command, add_generate_command,
                                 add_import_command,     add_export_command,
                                 add_info_command,       add_plugins_command,
                                 add_validate_command,   add_new_command,
                                 add_trust_command,      add_fmu_command};
  return run_program(argc, argv, commands);
}
