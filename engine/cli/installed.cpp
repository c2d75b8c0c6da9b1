#include "torsor/cli/installed.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "torsor/model/error.hpp"

namespace torsor::cli {

namespace {

std::filesystem::path program_folder() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed).parent_path();
}

}  // namespace

void run_beside(const std::string& program, const std::vector<std::string>& arguments,
                const std::string& remedy) {
  const std::filesystem::path file = program_folder() / program;
  std::vector<char*> argv{const_cast<char*>(file.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(file.c_str(), argv.data());
  throw Error(fmt::format("the program '{}' cannot be started ({}): {}", file.string(), std::strerror(errno),
                          remedy));
}

std::filesystem::path prefix() {
  return program_folder().parent_path();
}

}  // namespace torsor::cli
