#pragma once
// Simulates a run from its start with the edits and writes a recording, on its own thread.

#include <atomic>
#include <filesystem>
#include <optional>
#include <vector>

#include "editor/session/problem.hpp"
#include "torsor/loading/fault_report.hpp"
#include "torsor/run/timeline.hpp"

namespace torsor::editor {

struct Scene;

class RecordingJob {
 public:
  ~RecordingJob() { stop(); }

  // Starts writing a run of this many steps to a file. Must not be called while busy().
  void start(const Scene& scene, std::vector<Change> changes, long long steps,
             std::filesystem::path file);
  void stop() { stop_ = true; }
  bool busy() const { return thread_.joinable(); }
  double progress() const { return progress_; }  // 0 to 1
  // Returns the result once after the job has ended. busy() is true until then.
  std::optional<Problem> take();

 private:
  Problem record(const Scene& scene, const std::vector<Change>& changes, long long steps,
                 const std::filesystem::path& file);

  std::atomic<bool> stop_ = false, done_ = false;
  std::atomic<double> progress_ = 0;
  Problem result_{};  // used by the thread until it is done
  std::jthread thread_;
};

}  // namespace torsor::editor
