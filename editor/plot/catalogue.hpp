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

// One column of a signal, or all of its columns.
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
  // Returns the columns of a name: all columns of a signal, "iiwa.q", or one column,
  // "iiwa.q.joint1". Returns nullptr if there is no such signal or column.
  const SignalPart* find(const std::string& name) const;
  // Throws Error with "did you mean" if there is no such signal or column.
  void require(const std::string& name) const;
  // Returns the name of the signal that is plotted first: the first signal that the scene records
  // or, if it records none, q of the first robot. For a recording, its first signal.
  const std::string& first() const { return first_; }

 private:
  void index();

  std::vector<Signal> signals_;
  std::map<std::string, SignalPart> parts_;
  std::string first_;
};

}  // namespace torsor::editor
