#include "editor/session/file_watch.hpp"

#include <algorithm>

namespace torsor::editor {

bool FileWatch::watch(std::vector<std::filesystem::path> files, Time since) {
  files_ = std::move(files);
  known_ = last_seen_ = times();
  const bool unchanged = std::all_of(known_.begin(), known_.end(), [&](Time time) { return time <= since; });
  if (!unchanged) known_.clear();
  return unchanged;
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

// A file that is not there is older than all.
FileWatch::Times FileWatch::times() const {
  Times out;
  for (const auto& file : files_) {
    std::error_code failed;
    const auto time = std::filesystem::last_write_time(file, failed);
    out.push_back(failed ? Time::min() : time);
  }
  return out;
}

}  // namespace torsor::editor
