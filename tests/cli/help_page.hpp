#pragma once
// A parser of the --help pages of the program.

#include <map>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace torsor::test {

struct HelpPage {
  std::vector<std::string> arguments;  // "SCENE", "ROBOT"
  // "--states" -> "FILE", or "" for a flag; without --help.
  std::map<std::string, std::string> options;
  std::vector<std::string> commands, examples;
};

HelpPage read_help_page(const std::string& text);

// A fixture that reads the page of each command.
class HelpPages : public Program {
 protected:
  // Returns the pages by command, including "plugins doctor". Commands whose programs are not built
  // are left out.
  std::map<std::string, HelpPage> pages();
};

}  // namespace torsor::test
