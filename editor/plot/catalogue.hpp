#pragma once
// The signals that can be plotted, and their names.

#include <map>
#include <string>
#include <vector>

#include "torsor/recording/recording.hpp"
#include "torsor/run/experiment.hpp"

namespace torsor::editor {

struct Signal {
  std::string name;
  std::vector<Column> columns;
};

// Columns of one signal.
struct SignalPart {
  size_t signal;         // index in the catalogue
  size_t column, count;  // range in the signal
};

class Catalogue {
 public:
  Catalogue() = default;
  explicit Catalogue(const Experiment& experiment);
  explicit Catalogue(const Recording& recording);

  const std::vector<Signal>& signals() const { return signals_; }
  // Returns a complete signal by its name, "iiwa.q", or one column by its name, "iiwa.q.joint1".
  // Returns null if there is none.
  const SignalPart* find(const std::string& name) const;
  // Throws Error with "did you mean" if there is no such signal or column.
  void require(const std::string& name) const;
  // Returns the signal that a new scene shows: the first recorded signal, or else the first robot's
  // q.
  const std::string& first() const { return first_; }

 private:
  void index();

  std::vector<Signal> signals_;
  std::map<std::string, SignalPart> parts_;
  std::string first_;
};

}  // namespace torsor::editor
