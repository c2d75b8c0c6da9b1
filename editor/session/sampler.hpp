#pragma once
// Signals of the whole time line, sampled on a thread of its own from the kept states.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "editor/session/moment.hpp"
#include "editor/session/series.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::editor {

// One signal at the kept states so far, from the first on. Columns are those of the Recorder
// without time.
struct Samples {
  std::vector<Column> columns;
  std::vector<double> time;    // s, ascending
  std::vector<Series> values;  // [columns], each as long as time
  std::string failure;         // why there are no more, or ""
};

class Sampler {
 public:
  Sampler();
  ~Sampler();

  // The signals wanted from now on, by name, of this moment's time line. What was sampled before
  // stays as far as it still holds: up to the first edit in which the time lines differ.
  void want(std::shared_ptr<const Moment> moment, const std::vector<std::string>& signals);
  // Reads a signal while the sampler waits; nothing where it is not there yet.
  void read(const std::string& signal, const std::function<void(const Samples&)>& reader) const;
  // Two signals, or one twice, at one time.
  void read_both(const std::string& a, const std::string& b,
                 const std::function<void(const Samples&, const Samples&)>& reader) const;
  // Every kept state of the last moment is in every wanted signal, as far as it did not fail.
  bool up_to_date() const;
  // Waits until then, so long at most; whether it is.
  bool wait(std::chrono::duration<double> patience) const;

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace torsor::editor
