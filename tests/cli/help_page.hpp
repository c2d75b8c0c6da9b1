#pragma once
// The --help pages of the program, read as a user reads them.

#include <map>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace torsor::test {

struct HelpPage {
  std::vector<std::string> arguments;  // "SCENE", "ROBOT"
  std::map<std::string, std::string>
      options;  // "--states" -> "FILE"; "" for a flag; without --help
  std::vector<std::string> commands, examples;
};

HelpPage read_help_page(const std::string& text);

// A test that can read the page of each command.
class HelpPages : public Program {
 protected:
  // By command, "plugins doctor" included; without the commands whose programs are not built.
  std::map<std::string, HelpPage> pages();
};

}  // namespace torsor::test
