#include "torsor/formats/xacro/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "torsor/base/open_file.hpp"

namespace torsor {

namespace {

using Clock = std::chrono::steady_clock;

// The two ends of a pipe, which programs started later do not inherit.
struct Pipe {
  Pipe() : Pipe(ends()) {}
  OpenFile read, write;

 private:
  struct Ends {
    int numbers[2] = {-1, -1};
  };
  static Ends ends() {
    Ends out;
    if (pipe2(out.numbers, O_CLOEXEC) != 0) out = {};
    return out;
  }
  explicit Pipe(const Ends& ends) : read(ends.numbers[0]), write(ends.numbers[1]) {}
};

// Starts a program in a process group of its own. Returns its id, or -1 with the error in `error`.
pid_t start(std::vector<std::string> words, int output, int messages, int& error) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, 1);
  posix_spawn_file_actions_adddup2(&actions, messages, 2);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = -1;
  error = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? child : -1;
}

// Reads what is available. Returns false at the end of the stream. Drops what exceeds `most`.
bool read_some(int descriptor, std::string& text, size_t most) {
  char block[1 << 14];
  const ssize_t n = read(descriptor, block, sizeof block);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  text.append(block, std::min(size_t(n), most - std::min(most, text.size())));
  return n > 0;
}

// Reads both streams until they end. Returns the limit that was reached, or `exited`.
ProgramResult::End read_streams(const Pipe& output, const Pipe& messages,
                                const ProgramLimits& limits, ProgramResult& result) {
  const Clock::time_point deadline = Clock::now() + limits.time;
  pollfd streams[] = {{output.read.number(), POLLIN, 0}, {messages.read.number(), POLLIN, 0}};
  while (streams[0].fd >= 0 || streams[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return ProgramResult::End::out_of_time;
    if (poll(streams, 2, int(std::min<long long>(left.count(), 1000))) < 0 && errno != EINTR)
      return ProgramResult::End::failed_to_start;
    constexpr size_t most_messages = size_t(64) << 10;
    // One byte more than the limit shows that the output exceeds it.
    if (streams[0].revents && !read_some(streams[0].fd, result.output, limits.output + 1))
      streams[0].fd = -1;
    if (streams[1].revents && !read_some(streams[1].fd, result.messages, most_messages))
      streams[1].fd = -1;
    if (result.output.size() > limits.output) return ProgramResult::End::too_long;
  }
  return ProgramResult::End::exited;
}

// Waits for a child until the deadline. Returns false if it still runs.
bool wait_for(pid_t child, Clock::time_point deadline, int& status) {
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) return true;
    if (Clock::now() >= deadline) return false;
    usleep(1000);
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words, const ProgramLimits& limits) {
  using enum ProgramResult::End;
  ProgramResult result{failed_to_start};
  pid_t child = -1;
  const Clock::time_point deadline = Clock::now() + limits.time;
  Pipe output, messages;
  if (!output.read || !messages.read) return result;
  {
    const OpenFile out(output.write.release()), err(messages.write.release());
    int error = 0;
    child = start(words, out.number(), err.number(), error);
    if (child < 0) {
      result.end = error == ENOENT || error == ENOTDIR ? not_found : failed_to_start;
      return result;
    }
  }
  result.end = read_streams(output, messages, limits, result);
  int status = 0;
  if (result.end == exited && !wait_for(child, deadline, status)) result.end = out_of_time;
  if (result.end != exited) {
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  }
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace torsor
