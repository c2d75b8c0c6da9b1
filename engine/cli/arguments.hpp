#pragma once
// What is wrong with a command line, and an option that several take.

#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace torsor::cli {

// What is said of a command line that begins with a command that there is not; "" of any other.
std::string unknown_command(CLI::App& app);

// What the command line said that cannot be, with the nearest thing that can. For a program with commands and
// for one without.
std::string explain(CLI::App& app, const CLI::ParseError& error);

// --floating-base. The flag must outlive the parsing.
// --states and --seed, of commands that ask about random states.
void add_random_states_options(CLI::App& command, int& states, uint64_t& seed);
void add_floating_base_option(CLI::App& command, bool& floating_base);

}  // namespace torsor::cli
