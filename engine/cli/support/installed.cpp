#include "torsor/cli/support/installed.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "torsor/base/error.hpp"
#include "torsor/base/prefix.hpp"

namespace torsor::cli {

void run_beside(const std::string& program, const std::vector<std::string>& arguments,
                const std::string& remedy) {
  const std::filesystem::path file = prefix() / "bin" / program;
  std::vector<char*> argv{const_cast<char*>(file.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  throw Error(fmt::format("the program '{}' cannot be started ({}); {}", file.string(),
                          std::strerror(errno), remedy));
}

}  // namespace torsor::cli
