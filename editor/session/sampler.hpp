#pragma once
// Signals of the whole time line, sampled on a thread of its own from the kept states.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "editor/session/moment.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/simulation/recorder.hpp"

namespace torsor::editor {

// One signal at the times so far. Columns are those of the Recorder without time.
struct Samples {
  std::vector<Column> columns;
  std::vector<double> time;                 // s, ascending
  std::vector<std::vector<double>> values;  // [columns][time]
  std::string failure;                      // why there are no more, or ""
};

class Sampler {
 public:
  explicit Sampler(const Registry& registry);
  ~Sampler();

  // The signals wanted from now on, by name, of this moment's time line.
  void want(std::shared_ptr<const Moment> moment, const std::vector<std::string>& signals);
  // Reads a signal while the sampler waits; nothing where it is not there yet.
  void read(const std::string& signal, const std::function<void(const Samples&)>& reader) const;
  // Every kept state of the last moment is in every wanted signal.
  bool up_to_date() const;

 private:
  class Worker;
  std::unique_ptr<Worker> worker_;
};

}  // namespace torsor::editor
