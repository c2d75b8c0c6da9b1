#pragma once
// Samples signals over the complete time line on its own thread, from the stored states.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "editor/probe/series.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::editor {

struct SessionState;

// Samples of one signal at the stored states, from the first state on. Columns are as in the
// Recorder, without time.
struct Samples {
  std::vector<Column> columns;
  std::vector<double> time;    // s, ascending
  std::vector<Series> values;  // [columns], each as long as time
  std::string failure;         // reason why sampling has ended early, or ""
};

class Sampler {
 public:
  Sampler();
  ~Sampler();

  // Sets the signals to sample, by name, on the timeline of this state. Earlier samples remain
  // valid up to the first edit in which the timelines differ.
  void request(std::shared_ptr<const SessionState> now, const std::vector<std::string>& signals);
  // Calls the reader with the samples of a signal, which do not change meanwhile. Does not call it
  // if the signal is not sampled yet.
  void read(const std::string& signal, const std::function<void(const Samples&)>& reader) const;
  // Calls the reader with the samples of two signals at the same time. a and b may be equal.
  void read_both(const std::string& a, const std::string& b,
                 const std::function<void(const Samples&, const Samples&)>& reader) const;
  // Returns whether every signal has a sample at every stored state of the timeline in the last
  // call of request(). Ignores signals that failed.
  bool up_to_date() const;
  // Waits until up_to_date(), at most this long. Returns whether it is.
  bool wait(std::chrono::duration<double> patience) const;

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace torsor::editor
