#include "torsor/symbolic/solver_build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/prefix.hpp"
#include "torsor/sdk/torsor_plugin.h"

extern char** environ;

namespace torsor::symbolic {

namespace fs = std::filesystem;

namespace {

// Returns the file of a program, which is searched in the folders of PATH if its name has no '/'.
// Returns "" if there is none.
fs::path installed(const std::string& program) {
  if (program.find('/') != program.npos) return program;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return fs::path(folder) / program;
  return {};
}

// Returns the words of the command in CC, else clang, else cc. clang 14 is faster than gcc 12, and
// so is its code.
std::vector<std::string> compiler() {
  const char* given = std::getenv("CC");
  std::istringstream words(given ? given : "");
  std::vector<std::string> out{std::istream_iterator<std::string>(words), {}};
  if (out.empty()) out.push_back(!installed("clang").empty() ? "clang" : "cc");
  return out;
}

// The formulae have no loops, so that higher levels of optimisation only take longer. Products and
// sums may be contracted, as in the kernels of other solvers.
std::vector<std::string> command(const fs::path& source, const fs::path& plugin) {
  std::vector<std::string> out = compiler();
  for (const std::string& word : std::vector<std::string>{
           "-std=c11", "-O2", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fPIC",
           "-shared", "-fvisibility=hidden", "-I" + (prefix() / "include").string(),
           source.string(), "-o", plugin.string()})
    out.push_back(word);
  return out;
}

// Runs a program with its messages in a file. Returns its exit status. Throws std::system_error if
// the program cannot be started.
int run(std::vector<std::string> words, const fs::path& messages) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0644);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category());
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns the lines of /proc/cpuinfo that identify the instructions of the processor.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  std::string out;
  for (std::string line; std::getline(in, line) && !line.empty();)
    if (line.starts_with("model name") || line.starts_with("flags")) out += line;
  return out;
}

// Returns a text that changes when another version of the compiler is installed.
std::string version_of_compiler() {
  std::error_code error;
  std::string out;
  for (const std::string& word : compiler()) {
    const fs::path file = fs::canonical(installed(word), error);
    if (error) continue;
    const uintmax_t size = fs::file_size(file, error);
    const auto written = fs::last_write_time(file, error).time_since_epoch().count();
    out += fmt::format("{} {} {} ", file.string(), size, written);
  }
  return out;
}

// Returns the first error in the messages of a compiler.
std::string first_error(const fs::path& messages) {
  std::ifstream in(messages);
  std::string first;
  for (std::string line; std::getline(in, line);) {
    if (first.empty()) first = line;
    if (line.find("error:") != line.npos) return line;
  }
  return first.empty() ? "no message" : first;
}

}  // namespace

fs::path compile_solver(const std::string& source, const std::string& name,
                        const fs::path& folder) {
  make_folder(folder);
  const fs::path file = folder / (name + ".c"), plugin = folder / (name + ".so"),
                 part = folder / (name + ".so.part"), messages = folder / (name + ".log");
  write_file(file, source);
  std::error_code error;
  int status = 0;
  try {
    status = run(command(file, part), messages);
  } catch (const std::system_error& why) {
    fs::remove(messages, error);
    throw Error(
        fmt::format("cannot run the C compiler '{}' for {}: {}; install gcc, or name a compiler in "
                    "the variable "
                    "CC",
                    compiler().front(), file.string(), why.code().message()));
  }
  if (status != 0)
    throw Error(fmt::format("{} does not compile: {}; {} has all messages", file.string(),
                            first_error(messages), messages.string()));
  fs::rename(part, plugin, error);
  if (error) cannot_write(plugin, error.message());
  fs::remove(messages, error);
  return plugin;
}

fs::path cached_solver(const std::string& source, const std::string& name) {
  const fs::path cache = user_cache_folder();
  if (cache.empty())
    throw Error(
        "there is no folder for generated solvers: set HOME or XDG_CACHE_HOME to a folder that can "
        "be written");
  Hash hash;
  hash.add(source);
  for (const std::string& word : command("", "")) hash.add(word);
  hash.add(version_of_compiler());
  hash.add(std::to_string(TORSOR_ABI_MAJOR) + "." + std::to_string(TORSOR_ABI_MINOR));
  hash.add(processor());
  std::ifstream sincos(prefix() / "include/torsor/spatial/sincos.h");
  hash.add(std::string(std::istreambuf_iterator<char>(sincos), {}));
  const fs::path folder = cache / "generated" / fmt::format("{:016x}", hash.value());
  const fs::path plugin = folder / (name + ".so");
  std::error_code error;
  if (fs::is_regular_file(plugin, error)) return plugin;
  // Other processes may compile the same source. Each has a folder of its own for that.
  fs::path own = folder;
  own += fmt::format(".{}", getpid());
  const fs::path compiled = compile_solver(source, name, own);
  make_folder(folder);
  fs::rename(compiled, plugin, error);
  if (error) cannot_write(plugin, error.message());
  fs::rename(own / (name + ".c"), folder / (name + ".c"), error);
  fs::remove_all(own, error);
  return plugin;
}

}  // namespace torsor::symbolic
