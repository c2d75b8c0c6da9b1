#pragma once
// The progress line of a study.

#include <cstdint>

#include "torsor/cli/support/progress.hpp"

namespace torsor::cli {

class StudyProgress {
 public:
  // rows: of the table. before: those that had results at the start.
  StudyProgress(uint64_t rows, uint64_t before) : rows_(rows), before_(before) {}
  // done: number of results since the start. failed: those that are not complete.
  void show(uint64_t done, uint64_t failed);
  double wall() const { return progress_.wall(); }
  void clear() { progress_.clear(); }

 private:
  Progress progress_;
  uint64_t rows_, before_;
};

}  // namespace torsor::cli
