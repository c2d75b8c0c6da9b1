#include "editor/support/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "torsor/base/error.hpp"

namespace torsor::editor {

Pipe::Pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  read = ends[0], write = ends[1];
}

namespace {

// Replaces this process, a child of `parent`, by the program. Uses only calls that are safe after a
// fork. Writes errno to `failed` if the program cannot be started.
[[noreturn]] void become(pid_t parent, char* const* argv, const Streams& streams, int failed) {
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // sent when the parent thread ends
  if (getppid() != parent) _exit(126);
  const int from[] = {streams.in, streams.out, streams.err};
  for (int to = 0; to < 3; ++to) {
    if (from[to] == to)
      fcntl(to, F_SETFD, 0);
    else if (from[to] >= 0)
      dup2(from[to], to);
  }
  execvp(argv[0], argv);
  const int error = errno;
  (void)!write(failed, &error, sizeof error);
  _exit(127);
}

}  // namespace

std::optional<pid_t> start_process(const std::vector<std::string>& words, const Streams& streams) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const Pipe failure;
  const pid_t parent = getpid(), process = fork();
  int error = process < 0 ? errno : 0;
  if (process == 0) become(parent, argv.data(), streams, failure.write);
  close(failure.write);
  while (process > 0 && read(failure.read, &error, sizeof error) < 0 && errno == EINTR) {
  }
  close(failure.read);
  if (error == 0) return process;
  if (process > 0) waitpid(process, nullptr, 0);
  if (error == ENOENT) return std::nullopt;
  throw Error(fmt::format("cannot start the program '{}': {}", words[0], std::strerror(error)));
}

}  // namespace torsor::editor
