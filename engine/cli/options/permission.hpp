#pragma once
// Decides whether scenes and robot files may load machine code, and read files outside their
// folder. Permission comes from the option --allow-plugins, the user's trust list, or a question in
// the terminal.

#include "torsor/host/trust.hpp"

namespace CLI {
class App;
}

namespace torsor::cli {

// Adds the flag --allow-plugins to a command that reads scenes or robot files. `allow` must exist
// until the command line has been parsed.
void add_allow_plugins_option(CLI::App& command, bool& allow);

// Returns the permission object of a command. All its copies share the answers of the user. If
// `allow` is false, a file is allowed if it is in trust_file() or if the user agrees. The user is
// asked only if standard input and standard error are terminals.
Permission command_permission(bool allow);

}  // namespace torsor::cli
