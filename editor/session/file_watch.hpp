#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

namespace torsor::editor {

// Tells when files have changed on disk. A program that writes one may take its time: a change counts once the files are the
// same in two looks, a fifth of a second apart.
class FileWatch {
 public:
  using Time = std::filesystem::file_time_type;
  // From now on these files. Returns whether all of them are as they were at a time.
  bool watch(std::vector<std::filesystem::path> files, Time since);
  // Once for each change.
  bool changed();

 private:
  using Times = std::vector<Time>;
  using Clock = std::chrono::steady_clock;
  Times times() const;

  std::vector<std::filesystem::path> files_;
  Times known_, last_seen_;
  Clock::time_point next_{};
};

}  // namespace torsor::editor
