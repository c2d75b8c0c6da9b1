#pragma once
// A progress line on stderr, updated ten times per second. Prints nothing if stderr is not a
// terminal.

#include <chrono>
#include <string>

namespace torsor::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;

  // Returns the elapsed time in s.
  double wall() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  // Returns true if the line should be updated. Call show() then. done: 0 to 1. text: shown after
  // the progress bar.
  bool due() const { return shown_ && wall() >= next_; }
  void show(double done, const std::string& text);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  double next_ = 0.2;
  bool shown_, drawn_ = false;
  Clock::time_point start_ = Clock::now();
};

}  // namespace torsor::cli
