// torsor bench: runs the program torsor_bench, which is installed in the same folder if it was
// built. The benchmarks are a separate program because only they need Google Benchmark.

#include <CLI/CLI.hpp>

#include "torsor/cli/options/command.hpp"
#include "torsor/cli/support/installed.hpp"

namespace torsor::cli {

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure the speed of solvers on robots");
  command->set_help_flag();  // torsor_bench prints the help page
  command->prefix_command();
  command->callback([command] {
    run_beside("torsor_bench", command->remaining(),
               "build it with ./torsor bench, or with -DTORSOR_BUILD_BENCH=ON");
  });
}

}  // namespace torsor::cli
