#pragma once
// The signals that there are to be plotted, and what a user may call them.

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
  size_t signal;         // of the catalogue
  size_t column, count;  // of the signal
};

class Catalogue {
 public:
  Catalogue() = default;
  explicit Catalogue(const Experiment& experiment);
  explicit Catalogue(const Recording& recording);

  const std::vector<Signal>& signals() const { return signals_; }
  // A whole signal by its name, "iiwa.q", or one column by its own, "iiwa.q.joint1"; null where
  // there is none.
  const SignalPart* find(const std::string& name) const;
  // Throws Error with "did you mean".
  void require(const std::string& name) const;
  // What a scene shows at first: what it records first, or else the first robot's q.
  const std::string& first() const { return first_; }

 private:
  void index();

  std::vector<Signal> signals_;
  std::map<std::string, SignalPart> parts_;
  std::string first_;
};

}  // namespace torsor::editor
