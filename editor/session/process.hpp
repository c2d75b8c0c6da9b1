#pragma once
// Starts other programs, with pipes as their standard streams.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace torsor::editor {

// A pipe. The user closes both ends; a process inherits them only as a stream. Throws Error if none
// are left.
struct Pipe {
  int read = -1, write = -1;
  Pipe();
};

struct Streams {
  int in = -1, out = -1, err = -1;  // -1: those of this program
};

// Starts a program, which gets SIGTERM when the calling thread or this program ends; words[0] is
// searched in PATH if it has no slash. Returns nullopt if there is no such program. Throws Error if
// it cannot be started.
std::optional<pid_t> start_process(const std::vector<std::string>& words, const Streams& streams);

}  // namespace torsor::editor
