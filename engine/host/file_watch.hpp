#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <vector>

namespace torsor {

// Watches files and the contents of folders for changes on disk. A program may write a file in
// several steps. Therefore a change is reported only after two checks, 0.2 s apart, have found the
// same state.
class FileWatch {
 public:
  using Time = std::chrono::system_clock::time_point;
  // Replaces the list of watched files. Returns true if no file has changed since the time `since`.
  // Otherwise returns false, and changed() will report the changed files.
  bool watch(std::vector<std::filesystem::path> files, Time since);
  // Returns the files that have changed since they were last reported. A call within 0.2 s of the
  // previous check does not access the disk.
  std::vector<std::filesystem::path> changed();

 private:
  using Clock = std::chrono::steady_clock;
  struct Look {
    ino_t inode = 0;
    off_t size = 0;
    // Time of the last change of the file's status (ctime). Unlike the modification time, users
    // cannot set it.
    Time changed{};
    bool as_read = true;
    bool operator==(const Look&) const = default;
  };
  std::vector<Look> look() const;

  std::vector<std::filesystem::path> files_;
  std::vector<Look> known_, last_seen_;  // one per file
  Clock::time_point next_{};
};

}  // namespace torsor
