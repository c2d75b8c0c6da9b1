#pragma once
// Runs one sample: loads the scene with the sample's values, simulates it, and reduces the run to
// outcomes. Each worker thread has its own runner.

#include <atomic>
#include <limits>
#include <optional>

#include "torsor/study/outcome.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor {

struct SampleLimits {
  double seconds = std::numeric_limits<double>::infinity();  // wall time of a sample
  const std::atomic<bool>* stop = nullptr;  // ends the sample when it becomes true; may be null
};

// Returns the message of a sample that took too long.
std::string over_limit_message(double seconds);

// The result of a sample. message: the reason of the status, a warning about the result of a
// complete run, or "".
struct SampleResult {
  SampleStatus status = SampleStatus::failed;
  std::string message;
  std::vector<Outcome> outcomes;  // empty if there are none
  uint64_t state_hash = 0;
  double wall_time = 0;  // s
};

class SampleRunner {
 public:
  SampleRunner(SceneSource scene, const SampleLimits& limits)
      : scene_(std::move(scene)), limits_(limits) {}

  // Runs a sample. Errors of the sample are a part of the result. Returns nullopt if `stop` has
  // ended it.
  std::optional<SampleResult> run(const StudySettings& settings) const;

 private:
  SampleResult run_scene(const StudySettings& settings, double end) const;
  SceneSource scene_;
  SampleLimits limits_;
};

// Returns the outcomes in the order of the columns. Sets the status `undefined` and a message if
// one is missing or NaN. Sets `failed` if the run has an outcome that no column has.
std::vector<double> arranged_outcomes(const std::vector<StudyColumn>& columns,
                                      SampleResult& result);

}  // namespace torsor
