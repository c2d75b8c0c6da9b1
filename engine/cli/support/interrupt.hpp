#pragma once
// Handles Ctrl+C and SIGTERM while a command has data that must be saved: a recording, or a table
// of finished runs. Other commands do not handle these signals, so they end at once.
//
// The first signal sets a flag. Steps and scripts check it, and the command ends properly. If
// nothing has checked it within 0.3 s, the process ends at once, with one line that names the
// plugin whose call has not returned. A second signal also ends it at once.

#include <atomic>

#include "torsor/base/error.hpp"

namespace torsor::cli {

// Thrown to end the command after an interrupt. The program prints the message and ends by the same
// signal. A shell then sees the exit status 128 + the number of the signal, and ends its loops too.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Catches SIGINT and SIGTERM during its lifetime. If a signal arrived, they stay caught until the
// process ends.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
};

// Returns the flag that the signals set.
const std::atomic<bool>& interruption();
// Returns whether a signal set the flag. If so, the command must end within 0.3 s, counted from the
// last call. Otherwise a timer ends the process.
bool was_interrupted();

// Marks that a recording is open. Closing it may take 3 s.
class OpenRecording {
 public:
  OpenRecording();
  ~OpenRecording();
  OpenRecording(const OpenRecording&) = delete;
  // Returns was_interrupted(). If true, the caller must close the recording now.
  static bool is_to_close();
};

// Ends the process by the signal that was caught.
[[noreturn]] void end_by_signal();

}  // namespace torsor::cli
