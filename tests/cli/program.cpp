#include "cli/program.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>

#include "support/forked.hpp"

namespace torsor::test {

namespace {
std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}
}  // namespace

std::filesystem::path source(const std::string& path) {
  return std::filesystem::path(TORSOR_SOURCE_DIR) / path;
}

std::string limit_of_file_size() {
  uintmax_t largest = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(TORSOR_BINARY_DIR "/lib/torsor/plugins"))
    if (file.path().extension() == ".so") largest = std::max(largest, file.file_size());
  return "ulimit -f " + std::to_string(largest / 1024 + 4000) + "; ";  // in KiB
}

void Program::SetUp() {
  const auto* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string("torsor_cli_") + test->name() + "_" + std::to_string(getpid());
  std::replace(name.begin(), name.end(), '/', '_');
  folder_ = std::filesystem::temp_directory_path() / name;
  std::filesystem::remove_all(folder_);
  std::filesystem::create_directories(folder_);
  // Contains the list of trusted files.
  setenv("XDG_CONFIG_HOME", (folder_ / "config").c_str(), 1);
}
void Program::TearDown() {
  std::filesystem::remove_all(folder_);
}

namespace {

// Executes the program in the forked child process.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::filesystem::path& folder) {
  if (chdir(folder.c_str()) != 0) _exit(126);
  // Contains the user's plugins.
  setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
  // Ends a program that hangs, after 120 s.
  alarm(120);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execvp(program.c_str(), argv.data());
  _exit(127);
}
void redirect(const std::filesystem::path& file, int flags, int to) {
  dup2(open(file.c_str(), flags, 0600), to);
}

}  // namespace

Output Program::torsor(const std::vector<std::string>& arguments, const std::string& input) {
  return run(TORSOR_PROGRAM, arguments, input);
}

Output Program::run(const std::string& program, const std::vector<std::string>& arguments,
                    const std::string& input) {
  const std::filesystem::path base = folder_.string() + ".io";
  std::filesystem::create_directories(base);
  std::ofstream(base / "in") << input;
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = forked();
  if (child == 0) {
    redirect(base / "in", O_RDONLY, 0);
    redirect(base / "out", O_WRONLY | O_CREAT | O_TRUNC, 1);
    redirect(base / "err", O_WRONLY | O_CREAT | O_TRUNC, 2);
    become(program, arguments, folder_);
  }
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  Output output{WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(base / "out"),
                text_of(base / "err"), double(usage.ru_maxrss) / 1024, taken.count()};
  std::filesystem::remove_all(base);
  return output;
}

size_t Program::kill_at(size_t bytes, const std::string& file,
                        const std::vector<std::string>& arguments) {
  const pid_t child = forked();
  if (child == 0) {
    for (const int standard : {1, 2}) redirect("/dev/null", O_WRONLY, standard);
    become(TORSOR_PROGRAM, arguments, folder_);
  }
  std::error_code not_yet;
  size_t size = 0;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    size = std::filesystem::file_size(folder_ / file, not_yet);
    if (!not_yet && size >= bytes) kill(child, SIGKILL);
  }
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
  return size;
}

std::string Program::file(const std::string& name, const std::string& text) {
  const std::filesystem::path path = folder_ / name;
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
  own_.push_back(name);
  return path.string();
}

std::string Program::read(const std::string& name) const {
  return text_of(folder_ / name);
}

std::vector<std::string> Program::written() const {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
    const std::string name = std::filesystem::relative(entry.path(), folder_).string();
    if (!entry.is_directory() && std::find(own_.begin(), own_.end(), name) == own_.end())
      files.push_back(name);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace torsor::test
