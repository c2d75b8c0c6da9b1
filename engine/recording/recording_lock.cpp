#include "torsor/recording/recording_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "torsor/base/input_file.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"

namespace torsor {

namespace {

// A lock is a byte range of the file that contains the byte `common`. The range begins T bytes
// before this byte and ends P bytes after it. T is the time at which the lock was taken, in seconds
// since 1970. P is the process id.
constexpr off_t common = off_t(1) << 62;

struct flock own_lock() {
  const off_t since = off_t(std::time(nullptr));
  struct flock own {};
  own.l_type = F_WRLCK;
  own.l_whence = SEEK_SET;
  own.l_start = common - since;
  own.l_len = since + getpid();
  return own;
}

// Locks the file. Returns false if another program has locked it. Returns true without a lock if
// the file system does not support locks.
bool lock(int descriptor) {
  struct flock own = own_lock();
  return fcntl(descriptor, F_OFD_SETLK, &own) == 0 || (errno != EAGAIN && errno != EACCES);
}

// Returns the lock of another program. Its l_type is F_UNLCK if that program has released the lock
// in the meantime.
struct flock conflicting_lock(int descriptor) {
  struct flock other = own_lock();
  if (fcntl(descriptor, F_OFD_GETLK, &other) != 0) other.l_type = F_UNLCK;
  return other;
}

constexpr const char *make_room = "free space on the disk, or choose another folder",
                     *remove_it = "remove it, or write to another folder";
constexpr int most_tries = 100;

std::string in_use(const std::filesystem::path& path, pid_t process, std::time_t since,
                   const std::string& scene) {
  return fmt::format(
      "cannot write '{}': process {} has been writing it since {:%F %T}{}; wait until it ends, or "
      "write to another folder",
      path.string(), process, fmt::localtime(since),
      scene.empty() ? "" : fmt::format(", scene '{}'", quotable(scene)));
}

}  // namespace

std::filesystem::path without_links(std::filesystem::path path) {
  constexpr int most_links = 40;  // the limit of the Linux kernel
  std::error_code failed;
  for (int k = 0; k < most_links; ++k) {
    if (!std::filesystem::is_symlink(path, failed)) return path;
    path = path.parent_path() / std::filesystem::read_symlink(path, failed);
  }
  throw Error(fmt::format("'{}' is a loop of symbolic links; {}", path.string(), remove_it));
}

RecordingInUse::RecordingInUse(const std::filesystem::path& shown,
                               const std::filesystem::path& file, pid_t process, std::time_t since,
                               const std::string& scene)
    : Error(in_use(shown, process, since, scene)),
      shown(shown),
      file(file),
      process(process),
      since(since) {}

RecordingCut::RecordingCut(const std::string& failure, unsigned long long rows, double last_time)
    : Error(fmt::format("{}; it has {}; {}", failure,
                        rows == 0
                            ? "no rows"
                            : fmt::format("{} up to t = {:.6g} s, and all later ones are missing",
                                          counted(rows, "row"), last_time),
                        make_room)) {}

RecordingLock::RecordingLock(const std::filesystem::path& path, const std::filesystem::path& shown)
    : shown_(shown), absolute_(std::filesystem::absolute(path)) {
  make_folder(path.parent_path());
  // Another program may have replaced the file just before it released its lock. Then the new file
  // is opened.
  for (int tries = 0; tries < most_tries; ++tries) {
    open_and_lock();
    if (is_named(descriptor_, absolute_)) return;
    close(descriptor_);
  }
  cannot_write(shown_, "other programs keep replacing it; write to another folder");
}

void RecordingLock::open_and_lock() {
  descriptor_ = ::open(absolute_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) fail_to_open(errno);
  try {
    struct stat file {};
    if (fstat(descriptor_, &file) != 0) cannot_write(shown_, std::strerror(errno));
    if (!S_ISREG(file.st_mode)) fail_to_open(EEXIST);
    for (int tries = 0; !lock(descriptor_); ++tries)
      reject_other(conflicting_lock(descriptor_), tries);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

void RecordingLock::fail_to_open(int error) const {
  std::error_code failed;
  const std::filesystem::file_status status = std::filesystem::symlink_status(absolute_, failed);
  if (!std::filesystem::exists(status)) cannot_write(shown_, opening_failed(error));
  std::string what =
      std::filesystem::is_symlink(status) ? "this is a symbolic link" : why_no_file(absolute_);
  if (what.empty()) what = opening_failed(error);
  if (absolute_.extension() == ".part")
    what =
        fmt::format("its file until it has rows is '{}': {}", absolute_.filename().string(), what);
  cannot_write(shown_, fmt::format("{}; {}", what, remove_it));
}

// A lock that reports a process id is not an OFD lock, so RecordingLock did not take it. It is that
// of another kind of program, such as an office suite.
void RecordingLock::reject_other(const struct flock& other, int tries) const {
  const char* remedy = "close it, or write to another folder";
  if (other.l_type == F_UNLCK && tries < most_tries) return;
  if (other.l_type == F_UNLCK)
    cannot_write(shown_, fmt::format("another program has locked it; {}", remedy));
  if (other.l_pid > 0)
    cannot_write(shown_, fmt::format("the program with process id {} has locked it; {}",
                                     other.l_pid, remedy));
  const off_t since = common - other.l_start;
  throw RecordingInUse(shown_, absolute_, pid_t(other.l_len - since), std::time_t(since), "");
}

RecordingLock::~RecordingLock() {
  close(descriptor_);
}

void RecordingLock::clear() {
  struct stat file {};
  if (fstat(descriptor_, &file) == 0 && file.st_nlink > 1)
    cannot_write(absolute_, fmt::format("it has a second hard link; {}", remove_it));
  if (ftruncate(descriptor_, 0) != 0) cannot_write(shown_, std::strerror(errno));
}

void RecordingLock::rename_to(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::rename(absolute_, path, failed);
  if (failed) cannot_write(shown_, failed.message());
  absolute_ = std::filesystem::absolute(path);
}

bool RecordingLock::exchange_with(const std::filesystem::path& path) {
  if (renameat2(AT_FDCWD, absolute_.c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0)
    return false;
  absolute_ = std::filesystem::absolute(path);
  return true;
}

off_t RecordingLock::size() const {
  struct stat file {};
  if (fstat(descriptor_, &file) != 0) cannot_write(shown_, std::strerror(errno));
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
  if (is_named(descriptor_, absolute_)) return;
  struct stat own {
  }, named{};
  if (fstat(descriptor_, &own) != 0) cannot_write(shown_, std::strerror(errno));
  const bool exists = stat(absolute_.c_str(), &named) == 0;
  const std::string what = counted(rows, "row");
  if (own.st_nlink > 0)
    throw RecordingLost(fmt::format(
        "'{}' was moved to another name while it was written{}; its {} {} there", shown_.string(),
        exists ? " and another file has taken its name" : "", what, rows == 1 ? "is" : "are"));
  throw RecordingLost(fmt::format(
      "'{}' was {} while it was written: its {} {} lost; write it again", shown_.string(),
      exists ? "replaced by another file" : "deleted", what, rows == 1 ? "is" : "are"));
}

NewRecording::NewRecording(const std::filesystem::path& path) : target_(without_links(path)) {
  if (target_.extension() != path.extension())
    cannot_write(path,
                 fmt::format("it is a symbolic link to '{}', which is not named as a recording "
                             "of this format; {}",
                             target_.string(), remove_it));
  part_ = target_;
  part_ += ".part";
  // The new file is locked first, so that no other program can use its name.
  lock_.emplace(part_, path);
  try {
    std::error_code failed;
    if (std::filesystem::exists(target_, failed)) older_.emplace(target_, path);
    lock_->clear();  // removes the content that a killed program may have left
  } catch (...) {
    discard();
    throw;
  }
}

NewRecording::~NewRecording() {
  if (!has_place_) discard();
}

void NewRecording::discard() {
  if (keeps_older_) return;
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void NewRecording::take_place(const std::function<void()>& and_then) {
  const bool exchanged =
      older_ && is_named(older_->descriptor(), target_) && lock_->exchange_with(target_);
  if (!exchanged) lock_->rename_to(target_);
  try {
    and_then();
  } catch (const Error& error) {
    if (!exchanged) {
      lock_->rename_to(part_);
    } else if (!lock_->exchange_with(part_)) {
      keeps_older_ = true;
      throw Error(fmt::format("{}; the older recording is '{}' now", error.what(), part_.string()));
    }
    throw;
  }
  if (exchanged) discard();  // removes the older recording, which now has the name part_
  has_place_ = true;
  older_.reset();
}

void NewRecording::fail(const std::string& failure, unsigned long long rows,
                        double last_time) const {
  if (has_place_) throw RecordingCut(failure, rows, last_time);
  throw Error(fmt::format("{}; {}{}", failure, make_room,
                          older_ ? "; the older recording of this name is unchanged" : ""));
}

}  // namespace torsor
