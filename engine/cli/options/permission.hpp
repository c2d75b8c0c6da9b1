#pragma once
// The permission of scenes and robot files to load machine code and to read files outside of their
// folder: the option --allow-plugins, the user's list, and a question in the terminal.

#include "torsor/host/trust.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

// Adds --allow-plugins, an option of every command that reads scenes or robot files. The variable
// must outlive the parsing.
void add_allow_plugins_option(CLI::App& command, bool& allow);

// Returns the permission of a command. Its copies share the user's answers. Without the option, it
// consults trust_file(), then asks the user if standard input and standard error are terminals.
Permission command_permission(bool allow);

}  // namespace torsor::cli
