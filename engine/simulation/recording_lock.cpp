#include "torsor/simulation/recording_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "torsor/model/text.hpp"
#include "torsor/simulation/output_file.hpp"

namespace torsor {

namespace {

// Every lock has this byte. It begins as many bytes before it as the time at which it was taken has
// seconds since 1970, and ends as many bytes behind it as its process id says.
constexpr off_t common = off_t(1) << 62;

struct Holder {
  pid_t process = 0;
  std::time_t since = 0;
};

// Locks the file. Returns false if another program has; true also if the file system has no locks.
bool lock(int descriptor) {
  const off_t since = off_t(std::time(nullptr));
  struct flock own {};
  own.l_type = F_WRLCK;
  own.l_whence = SEEK_SET;
  own.l_start = common - since;
  own.l_len = since + getpid();
  return fcntl(descriptor, F_OFD_SETLK, &own) == 0 || (errno != EAGAIN && errno != EACCES);
}

// Returns the holder of the lock; process 0 if it has ended since.
Holder holder_of(int descriptor) {
  struct flock other {};
  other.l_type = F_WRLCK;
  other.l_whence = SEEK_SET;
  other.l_start = common;
  other.l_len = 1;
  if (fcntl(descriptor, F_OFD_GETLK, &other) != 0 || other.l_type == F_UNLCK) return {};
  const off_t since = common - other.l_start;
  return {pid_t(other.l_len - since), std::time_t(since)};
}

std::string in_use(const std::filesystem::path& path, pid_t process, std::time_t since,
                   const std::string& scene) {
  return fmt::format(
      "cannot write '{}': process {} has been writing it since {:%F %T}{}; wait until it ends, or write to "
      "another folder",
      path.string(), process, fmt::localtime(since),
      scene.empty() ? "" : fmt::format(", scene '{}'", quotable(scene)));
}

}  // namespace

RecordingInUse::RecordingInUse(const std::filesystem::path& path, pid_t process, std::time_t since,
                               const std::string& scene)
    : Error(in_use(path, process, since, scene)), path(path), process(process), since(since) {}

RecordingLock::RecordingLock(const std::filesystem::path& path) : path_(path) {
  make_folder(path.parent_path());
  descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) cannot_write(path_, std::strerror(errno));
  try {
    struct stat file {};
    if (fstat(descriptor_, &file) != 0) cannot_write(path_, std::strerror(errno));
    if (!S_ISREG(file.st_mode)) cannot_write(path_, "it exists and is not a regular file");
    while (!lock(descriptor_))
      if (const Holder holder = holder_of(descriptor_); holder.process > 0)
        throw RecordingInUse(path, holder.process, holder.since, "");
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

RecordingLock::~RecordingLock() {
  close(descriptor_);
}

void RecordingLock::clear() {
  if (ftruncate(descriptor_, 0) != 0) cannot_write(path_, std::strerror(errno));
}

off_t RecordingLock::size() const {
  struct stat file {};
  if (fstat(descriptor_, &file) != 0) cannot_write(path_, std::strerror(errno));
  return file.st_size;
}

void RecordingLock::accept_changes() {
  struct stat file {};
  if (fstat(descriptor_, &file) == 0) changed_ = file.st_mtim;
}

bool RecordingLock::has_changed() const {
  struct stat file {};
  return fstat(descriptor_, &file) != 0 || file.st_mtim.tv_sec != changed_.tv_sec ||
         file.st_mtim.tv_nsec != changed_.tv_nsec;
}

void RecordingLock::require_in_place(unsigned long long rows) const {
  struct stat own {
  }, named{};
  if (fstat(descriptor_, &own) != 0) cannot_write(path_, std::strerror(errno));
  const bool exists = stat(path_.c_str(), &named) == 0;
  if (exists && own.st_dev == named.st_dev && own.st_ino == named.st_ino) return;
  const std::string what = counted(rows, "row");
  if (own.st_nlink > 0)
    throw RecordingLost(fmt::format("'{}' was moved to another name during the run{}; its {} {} there",
                                    path_.string(), exists ? " and another file has taken its name" : "",
                                    what, rows == 1 ? "is" : "are"));
  throw RecordingLost(fmt::format("'{}' was {} during the run: its {} {} lost; record the run again",
                                  path_.string(), exists ? "replaced by another file" : "deleted", what,
                                  rows == 1 ? "is" : "are"));
}

}  // namespace torsor
