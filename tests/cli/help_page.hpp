#pragma once
// A parser of the --help pages of the program.

#include <map>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace torsor::test {

struct HelpPage {
  std::vector<std::string> arguments;  // for example "SCENE", "ROBOT"
  // Values of the options: "--states" -> "FILE"; "" for a flag. Without --help and --version.
  std::map<std::string, std::string> options;
  std::vector<std::string> commands, examples;
};

HelpPage read_help_page(const std::string& text);

// Test fixture that reads the help page of each command.
class HelpPages : public Program {
 protected:
  // Returns the help pages by command, including subcommands ("plugins doctor"). Leaves out edit,
  // view and bench if their programs are not built.
  std::map<std::string, HelpPage> pages();
};

}  // namespace torsor::test
