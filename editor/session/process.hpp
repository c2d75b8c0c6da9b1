#pragma once
// Programs that are started beside this one, with the ends of pipes for their standard streams.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace torsor::editor {

// Both ends are closed by who uses them; no process inherits them but as a stream. Throws Error where there are none left.
struct Pipe {
  int read = -1, write = -1;
  Pipe();
};

struct Streams {
  int in = -1, out = -1, err = -1;  // -1: those of this program
};

// words[0] is looked for in PATH where it has no slash. Nothing where there is no such program; throws Error where it cannot be started.
std::optional<pid_t> start_process(const std::vector<std::string>& words, const Streams& streams);

}  // namespace torsor::editor
