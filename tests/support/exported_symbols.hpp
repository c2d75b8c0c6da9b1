#pragma once
// The dynamic symbols of libraries. The including program defines NM_PROGRAM, the path of nm.

#include <cstdio>
#include <set>
#include <string>

namespace torsor::test {

// Returns the dynamic symbols that a library defines, with their versions.
inline std::set<std::string> exported_symbols(const std::string& library) {
  const std::string command =
      "'" + std::string(NM_PROGRAM) + "' -D --defined-only '" + library + "'";
  std::set<std::string> out;
  FILE* pipe = popen(command.c_str(), "r");
  char address[64], kind[8], name[512];
  while (pipe && std::fscanf(pipe, "%63s %7s %511s", address, kind, name) == 3) out.insert(name);
  if (pipe) pclose(pipe);
  return out;
}

}  // namespace torsor::test
