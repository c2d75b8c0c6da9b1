#pragma once

#include <chrono>
#include <filesystem>
#include <utility>
#include <vector>

namespace torsor {

// Tells when files have changed on disk. A program that writes one may take its time: a change counts once the files are the
// same in two looks, a fifth of a second apart.
class FileWatch {
 public:
  using Time = std::filesystem::file_time_type;
  // From now on these files. Returns whether all of them are as they were at a time; those that are not count as changed.
  bool watch(std::vector<std::filesystem::path> files, Time since);
  // Those that have changed since the last time that any had; costs next to nothing where it is asked too soon to look again.
  std::vector<std::filesystem::path> changed();

 private:
  using Clock = std::chrono::steady_clock;
  struct Look {
    Time time;
    std::uintmax_t size;
    bool operator==(const Look&) const = default;
  };
  std::vector<Look> look() const;

  std::vector<std::filesystem::path> files_;
  std::vector<Look> known_, last_seen_;  // [files]
  Clock::time_point next_{};
};

}  // namespace torsor
