#pragma once
// Ctrl+C and SIGTERM while a command holds what must be kept: a recording, or a table of finished
// runs. Other commands leave these signals as they are, so that they end at once.
//
// The first signal sets a flag. Steps and scripts look at it, and the command ends in order. If
// nothing has looked 0.3 s later, the process ends where it is, with one line that names the plugin
// whose call has not returned. A second signal ends it at once.

#include <atomic>

#include "torsor/base/error.hpp"

namespace torsor::cli {

// Ends the command, after its message, by the signal that interrupted it: a shell then sees the
// exit status 128 + its number, and ends its loops as well.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Catches SIGINT and SIGTERM while it lives. If one came, they stay caught until the process ends.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
};

// The flag that the signals set.
const std::atomic<bool>& interruption();
// Returns whether the signals set it. True tells them that the command is about to end: the 0.3 s
// begin again.
bool was_interrupted();

// A recording that is open. Closing it may take 3 s.
class OpenRecording {
 public:
  OpenRecording();
  ~OpenRecording();
  OpenRecording(const OpenRecording&) = delete;
  // Returns was_interrupted(). True means that the recording will be closed now.
  static bool is_to_close();
};

// Ends the process by the signal that came.
[[noreturn]] void end_by_signal();

}  // namespace torsor::cli
