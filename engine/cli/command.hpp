#pragma once
// The commands of the program. Each file adds its own to the command line, with what it does as the callback:
// it throws Error for what the user did wrong. A new one is a declaration here and a row in main.cpp.

#include <CLI/CLI.hpp>

namespace torsor::cli {

void add_run_command(CLI::App& app);
void add_eval_command(CLI::App& app);
void add_plugins_command(CLI::App& app);

}  // namespace torsor::cli
