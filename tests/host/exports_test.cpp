// Checks that a plugin file exports only its entry function. With more symbols, two builds of one
// library in two plugins could be mixed up.

#include <cstdio>
#include <sstream>

#include "host_fixture.hpp"

namespace torsor::host_test {
namespace {

std::vector<std::string> exported_symbols(const std::string& file) {
  const std::string command =
      std::string(NM_PROGRAM) + " -D --defined-only --format=posix '" + file + "'";
  FILE* pipe = popen(command.c_str(), "r");
  std::vector<std::string> symbols;
  for (char line[4096]; pipe && std::fgets(line, sizeof line, pipe);)
    symbols.push_back(std::string(line).substr(0, std::string(line).find(' ')));
  EXPECT_EQ(pipe ? pclose(pipe) : -1, 0) << command;
  return symbols;
}

TEST(Exports, ShippedPluginsExportOnlyTheirEntry) {
  std::stringstream files(SHIPPED_PLUGINS);
  int count = 0;
  for (std::string file; std::getline(files, file, ':'); ++count)
    EXPECT_THAT(exported_symbols(file), ::testing::ElementsAre("torsor_plugin_entry")) << file;
  EXPECT_GT(count, 0) << "no plugin is built";
}

}  // namespace
}  // namespace torsor::host_test
