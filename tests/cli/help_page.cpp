#include "cli/help_page.hpp"

#include <sstream>

namespace torsor::test {

namespace {

// Returns the entry "--states FILE" of a line "  --states FILE      text".
std::string entry_name(const std::string& line) {
  const size_t first = line.find_first_not_of(' '), end = line.find("  ", first);
  return line.substr(first, end == line.npos ? end : end - first);
}

void read_option(const std::string& name, HelpPage& page) {
  const size_t blank = name.find(' ');
  const std::string option = name.substr(0, blank);
  if (option == "-h," || option == "--version") return;
  page.options[option] = blank == name.npos ? "" : name.substr(blank + 1);
}

}  // namespace

HelpPage read_help_page(const std::string& text) {
  HelpPage page;
  std::istringstream in(text);
  std::string section;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("  ")) {
      section = line;
      continue;
    }
    if (section == "Examples:") page.examples.push_back(line.substr(2));
    // A deeper line continues the text of the entry above.
    if (line.starts_with("   ")) continue;
    if (section == "Arguments:") page.arguments.push_back(entry_name(line));
    if (section == "Commands:") page.commands.push_back(entry_name(line));
    if (section == "Options:") read_option(entry_name(line), page);
  }
  return page;
}

std::map<std::string, HelpPage> HelpPages::pages() {
  std::map<std::string, HelpPage> out;
  for (const std::string& command : read_help_page(torsor({"--help"}).out).commands) {
    const Output output = torsor({command, "--help"});
    const bool separate = command == "bench" || command == "edit" || command == "view";
    if (separate && output.exit_code == 2) continue;
    EXPECT_EQ(output.exit_code, 0) << command << ": " << output.err;
    const HelpPage& page = out[command] = read_help_page(output.out);
    for (const std::string& sub : page.commands)
      out[command + " " + sub] = read_help_page(torsor({command, sub, "--help"}).out);
  }
  return out;
}

}  // namespace torsor::test
