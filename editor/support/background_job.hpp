#pragma once
// A thread for work that takes longer than a frame of the window. It runs one job at a time.

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
  // Starts the work on the thread. Must not be called while busy().
  void start(std::function<void()> work);
  bool busy() const { return busy_; }
  // Returns false during work and during the pause after it, which takes three times as long, at
  // least 30 ms. Work that is started only if this returns true uses at most a quarter of a core.
  bool rested() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::atomic<bool> busy_ = false;
  Clock::time_point next_{};  // written by the work before it ends
  std::jthread thread_;       // last: joined before the other members are destroyed
};

}  // namespace torsor::editor
