#pragma once
// The main function of a program with commands.

#include <functional>
#include <span>

namespace CLI {
class App;
}

namespace torsor::cli {

using AddCommand = std::function<void(CLI::App&)>;

// Parses the command line, runs its command, and reports errors. Returns the exit status.
int run_program(int argc, char** argv, std::span<const AddCommand> commands);

}  // namespace torsor::cli
