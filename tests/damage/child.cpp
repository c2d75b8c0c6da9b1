#include "damage/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "support/forked.hpp"

namespace torsor::test {

namespace {
std::string content(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
}  // namespace

Child::Child(const std::vector<std::string>& arguments, std::filesystem::path folder,
             const std::string& name)
    : out_(folder / (name + ".out")), err_(folder / (name + ".err")) {
  std::filesystem::create_directories(folder);
  process_ = forked();
  if (process_ != 0) return;
  for (const auto& [file, to] : {std::pair{out_, 1}, std::pair{err_, 2}})
    dup2(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), to);
  if (chdir(folder.c_str()) != 0) _exit(126);
  const std::string program = TORSOR_PROGRAM;
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

Child::~Child() {
  kill();
}

// Waits with a process descriptor, which becomes readable when the process ends.
bool Child::wait(std::chrono::microseconds limit) {
  if (ended_) return true;
  const int descriptor = int(syscall(SYS_pidfd_open, process_, 0));
  pollfd end{descriptor, POLLIN, 0};
  const timespec most{limit.count() / 1000000, limit.count() % 1000000 * 1000};
  if (ppoll(&end, 1, &most, nullptr) == 1) {
    rusage usage{};
    ended_ = wait4(process_, &status_, 0, &usage) == process_;
    peak_kib_ = usage.ru_maxrss;
  }
  ::close(descriptor);
  return ended_;
}

void Child::kill() {
  if (ended_) return;
  ::kill(process_, SIGKILL);
  wait(std::chrono::seconds(60));
}

Ended Child::finish(std::chrono::seconds limit) {
  const bool hung = !wait(limit);
  kill();
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -1, hung, peak_kib_, content(out_),
          content(err_)};
}

}  // namespace torsor::test
