#pragma once
// The result of a tuning as text.

#include <string>

#include "torsor/study/tuning/tuning.hpp"

namespace torsor::cli {

struct TunedScene {
  const TuningSpace& space;
  const StudyLayout& layout;
  const TuningResult& result;
  std::string scene, table;  // paths, for commands
  // The column of the outcome, and those of the parameters that are tuned.
  const StudyColumn& outcome() const {
    return layout.outcomes[tuned_outcome(space.request(), layout.outcomes)];
  }
  std::vector<const StudyColumn*> tuned() const;
};

// Prints a line for each search, the best point with its samples, whether the searches agree, and
// the command that repeats the best run.
void print_tuning(const TunedScene& tuned);

}  // namespace torsor::cli
