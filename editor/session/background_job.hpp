#pragma once
// Work that takes longer than a frame of the window: one piece at a time, on a thread of its own.

#include <atomic>
#include <chrono>
#include <functional>

#include "torsor/loading/fault_report.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

// Returns whether matrices of this model take too long to be computed within a frame.
inline bool exceeds_a_frame(const Model& model) {
  constexpr int most_dof = 50;
  return model.n_v > most_dof;
}

class BackgroundJob {
 public:
  // Runs the work on the thread. There must be none under way.
  void start(std::function<void()> work);
  bool busy() const { return busy_; }
  // Returns true when the last work has ended and the thread has rested three times as long: work
  // that is started whenever this holds takes a quarter of a core at most.
  bool rested() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> busy_ = false;
  Clock::time_point next_{};  // written by the work before it ends
  std::jthread thread_;       // last: it is joined before the others go
};

}  // namespace torsor::editor
