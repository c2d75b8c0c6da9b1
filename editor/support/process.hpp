#pragma once
// Starts other programs with pipes as their standard streams.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace torsor::editor {

// A pipe. The caller closes both ends. A process inherits an end only as one of its streams. The
// constructor throws Error if no file descriptors are left.
struct Pipe {
  int read = -1, write = -1;
  Pipe();
};

struct Streams {
  int in = -1, out = -1, err = -1;  // -1: the stream of this program
};

// Starts a program. It gets SIGTERM when the calling thread or this program ends. words: the
// program and its arguments. words[0] is searched in PATH if it has no slash. Returns nullopt if
// the program does not exist. Throws Error if it cannot be started.
std::optional<pid_t> start_process(const std::vector<std::string>& words, const Streams& streams);

}  // namespace torsor::editor
