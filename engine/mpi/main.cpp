#include "torsor/cli/options/command.hpp"
#include "torsor/cli/run_program.hpp"
#include "torsor/mpi/mpi_ranks.hpp"

int main(int argc, char** argv) {
  torsor::mpi::MpiRanks ranks(argc, argv);
  // Rank 0 alone reports what is wrong with the command or the scene.
  if (ranks.rank() > 0 && !ranks.wait_for_start()) return 0;
  const torsor::cli::AddCommand commands[] = {
      [&](CLI::App& app) { add_study_command(app, &ranks); }};
  return torsor::cli::run_program(argc, argv, commands);
}
