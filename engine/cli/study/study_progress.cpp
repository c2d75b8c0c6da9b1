#include "torsor/cli/study/study_progress.hpp"

#include <fmt/format.h>

namespace torsor::cli {

namespace {

// Returns a span of time as text: "41 s", "3:07", "2:30:00".
std::string span_text(double seconds) {
  const auto s = (long long)(seconds);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

}  // namespace

void StudyProgress::show(uint64_t done, uint64_t failed) {
  if (!progress_.due()) return;
  const double rate = double(done) / progress_.wall();
  const uint64_t left = rows_ - before_ - done;
  std::string text = fmt::format("{} of {}", before_ + done, rows_);
  if (done > 0)
    text += fmt::format("  {:.3g} samples/s  {} left", rate, span_text(double(left) / rate));
  if (failed > 0) text += fmt::format("  {} not done", failed);
  progress_.show(double(before_ + done) / double(rows_), text);
}

}  // namespace torsor::cli
