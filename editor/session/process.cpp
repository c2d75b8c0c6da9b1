#include "editor/session/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "torsor/model/error.hpp"

extern char** environ;

namespace torsor::editor {

Pipe::Pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  read = ends[0], write = ends[1];
}

std::optional<pid_t> start_process(const std::vector<std::string>& words, const Streams& streams) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const auto& [from, to] :
       {std::pair{streams.in, STDIN_FILENO}, {streams.out, STDOUT_FILENO}, {streams.err, STDERR_FILENO}})
    if (from >= 0) posix_spawn_file_actions_adddup2(&files, from, to);
  pid_t process = -1;
  const int failed = posix_spawnp(&process, argv[0], &files, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed == ENOENT) return std::nullopt;
  if (failed) throw Error(fmt::format("cannot start the program '{}': {}", words[0], std::strerror(failed)));
  return process;
}

}  // namespace torsor::editor
