#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <vector>

namespace torsor {

// Tells when files, or what folders list, have changed on disk. A program that writes one may take
// its time: a change counts once all are the same in two looks, a fifth of a second apart.
class FileWatch {
 public:
  using Time = std::chrono::system_clock::time_point;
  // From now on these. Returns whether all of them are as they were at a time; those that are not
  // count as changed.
  bool watch(std::vector<std::filesystem::path> files, Time since);
  // Those that have changed since the last time that any had; costs next to nothing where it is
  // asked too soon to look again.
  std::vector<std::filesystem::path> changed();

 private:
  using Clock = std::chrono::steady_clock;
  struct Look {
    ino_t inode = 0;
    off_t size = 0;
    Time changed{};  // as the system has it: when it was written anybody may set
    bool as_read = true;
    bool operator==(const Look&) const = default;
  };
  std::vector<Look> look() const;

  std::vector<std::filesystem::path> files_;
  std::vector<Look> known_, last_seen_;  // [files]
  Clock::time_point next_{};
};

}  // namespace torsor
