#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <vector>

namespace torsor {

// A watch for changes of files, and of the contents of folders, on disk. A program may take some
// time to write a file. Therefore changes count once all files are the same in two checks, 0.2 s
// apart.
class FileWatch {
 public:
  using Time = std::chrono::system_clock::time_point;
  // Replaces the list of watched files. Returns whether none of them has changed since a time.
  // changed() will report those that have.
  bool watch(std::vector<std::filesystem::path> files, Time since);
  // Returns the files that have changed since they were last reported. A call within 0.2 s of the
  // previous one costs almost nothing.
  std::vector<std::filesystem::path> changed();

 private:
  using Clock = std::chrono::steady_clock;
  struct Look {
    ino_t inode = 0;
    off_t size = 0;
    // Time of the last change by the clock of the system (ctime), which users cannot set.
    Time changed{};
    bool as_read = true;
    bool operator==(const Look&) const = default;
  };
  std::vector<Look> look() const;

  std::vector<std::filesystem::path> files_;
  std::vector<Look> known_, last_seen_;  // [files]
  Clock::time_point next_{};
};

}  // namespace torsor
