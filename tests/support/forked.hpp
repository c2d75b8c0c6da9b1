#pragma once

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace torsor::test {

// Forks the process. Returns 0 in the child, and its process id in the parent. Throws
// std::system_error if no process can be created: kill() and waitpid() take -1 as every process.
inline pid_t forked() {
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  return child;
}

}  // namespace torsor::test
