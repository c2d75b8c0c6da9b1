// torsor bench: runs the benchmark's program, which stands beside this one where it was built: no other command needs Google
// Benchmark.

#include <CLI/CLI.hpp>

#include "torsor/cli/command.hpp"
#include "torsor/cli/installed.hpp"

namespace torsor::cli {

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Time solvers on robots, those of --plugins too");
  command->set_help_flag();  // the benchmark has its own
  command->prefix_command();
  command->callback([command] {
    run_beside("torsor_bench", command->remaining(),
               "build it with ./torsor bench, or with -DTORSOR_BUILD_BENCH=ON");
  });
}

}  // namespace torsor::cli
