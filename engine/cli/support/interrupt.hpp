#pragma once
// Handles Ctrl+C (SIGINT) and SIGTERM while a command has data to save: a recording, or a table of
// finished runs. Commands without such data do not handle these signals and end at once.
//
// The first signal sets a flag. Simulation steps and scripts check the flag, so that the command
// can save its data and end. If the flag is not checked within 0.3 s, the process ends at once. It
// then prints one line, with the name of the plugin whose call has not returned. A second signal
// also ends the process at once.

#include <atomic>

#include "torsor/base/error.hpp"

namespace torsor::cli {

// Thrown to end the command after an interrupt. The program prints the message and then ends itself
// with the same signal. The exit status in a shell is 128 + the signal number, and loops in shell
// scripts end too.
class Interrupted : public Error {
 public:
  using Error::Error;
};

// Handles SIGINT and SIGTERM as long as this object exists. After a signal has arrived, they stay
// handled until the process ends.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
};

// Returns the flag that is set by the first signal.
const std::atomic<bool>& interruption();
// Returns true if a signal has set the flag. In this case it also restarts the timer: the command
// must end or call this function again within 0.3 s.
bool was_interrupted();

// Indicates that a recording is open as long as this object exists. Closing the recording may then
// take 3 s.
class OpenRecording {
 public:
  OpenRecording();
  ~OpenRecording();
  OpenRecording(const OpenRecording&) = delete;
  // Calls was_interrupted() and returns its result. If it is true, the caller must now close the
  // recording.
  static bool is_to_close();
};

// Ends the process with the signal that has arrived.
[[noreturn]] void end_by_signal();

}  // namespace torsor::cli
