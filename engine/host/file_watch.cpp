#include "torsor/host/file_watch.hpp"

#include <sys/stat.h>

namespace torsor {

namespace {

constexpr std::chrono::milliseconds between_looks(200);

}  // namespace

bool FileWatch::watch(std::vector<std::filesystem::path> files, Time since) {
  files_ = std::move(files);
  known_ = last_seen_ = look();
  bool unchanged = true;
  for (Look& file : known_)
    if (file.changed > since && file.changed <= Time::clock::now())
      file.as_read = unchanged = false;
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

// Returns the state of each file on disk. A file that does not exist has the change time 0, so it
// never counts as changed after a given time.
std::vector<FileWatch::Look> FileWatch::look() const {
  std::vector<Look> out;
  for (const auto& file : files_) {
    struct stat found {};
    if (stat(file.c_str(), &found) != 0) {
      out.push_back({});
      continue;
    }
    const auto since_1970 = std::chrono::seconds(found.st_ctim.tv_sec) +
                            std::chrono::nanoseconds(found.st_ctim.tv_nsec);
    out.push_back({found.st_ino, found.st_size,
                   Time(std::chrono::duration_cast<Time::duration>(since_1970))});
  }
  return out;
}

}  // namespace torsor
