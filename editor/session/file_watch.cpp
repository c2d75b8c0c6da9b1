#include "editor/session/file_watch.hpp"

namespace torsor::editor {

void FileWatch::watch(std::vector<std::filesystem::path> files) {
  files_ = std::move(files);
  known_ = last_seen_ = times();
}

bool FileWatch::changed() {
  if (files_.empty() || Clock::now() < next_) return false;
  next_ = Clock::now() + std::chrono::milliseconds(200);
  Times now = times();
  const bool settled = now == last_seen_;
  last_seen_ = std::move(now);
  if (!settled || last_seen_ == known_) return false;
  known_ = last_seen_;
  return true;
}

// A file that is not there has the time 0 of its clock.
FileWatch::Times FileWatch::times() const {
  Times out;
  for (const auto& file : files_) {
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(file, failed);
    out.push_back(failed ? std::filesystem::file_time_type{} : time);
  }
  return out;
}

}  // namespace torsor::editor
