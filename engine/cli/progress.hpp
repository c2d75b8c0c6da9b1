#pragma once
// A line on a terminal's stderr, rewritten ten times a second, that says how far the work is. Elsewhere
// nothing.

#include <chrono>
#include <string>

namespace torsor::cli {

class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;

  double wall() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }  // s

  // Whether it is time for another line. done: 0 to 1; text: what stands after the bar.
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
