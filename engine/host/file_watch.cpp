#include "torsor/host/file_watch.hpp"

#include <algorithm>

namespace torsor {

namespace {

constexpr std::chrono::milliseconds between_looks(200);

}  // namespace

bool FileWatch::watch(std::vector<std::filesystem::path> files, Time since) {
  files_ = std::move(files);
  known_ = last_seen_ = look();
  bool unchanged = true;
  for (Look& file : known_)
    if (file.time > since) {
      file.time = Time::max();
      unchanged = false;
    }
  return unchanged;
}

std::vector<std::filesystem::path> FileWatch::changed() {
  std::vector<std::filesystem::path> out;
  if (files_.empty() || Clock::now() < next_) return out;
  next_ = Clock::now() + between_looks;
  std::vector<Look> now = look();
  const bool settled = now == last_seen_;
  last_seen_ = std::move(now);
  if (!settled) return out;
  for (size_t k = 0; k < files_.size(); ++k)
    if (last_seen_[k] != known_[k]) out.push_back(files_[k]);
  known_ = last_seen_;
  return out;
}

// A file that is not there is older than all.
std::vector<FileWatch::Look> FileWatch::look() const {
  std::vector<Look> out;
  for (const auto& file : files_) {
    std::error_code no_time, no_size;
    const Time time = std::filesystem::last_write_time(file, no_time);
    const std::uintmax_t size = std::filesystem::file_size(file, no_size);
    out.push_back({no_time ? Time::min() : time, no_size ? 0 : size});
  }
  return out;
}

}  // namespace torsor
