#pragma once
// Locks a recording for the one program that writes it, detects changes that other programs make,
// and replaces the older recording of the same name.
//
// The lock is an OFD lock (fcntl) on the file itself:
// - It ends with the process, even if the process crashes. No file is left behind.
// - It belongs to the file and not to its name, so links and other paths to the file find it.
// - Readers do not use it. On local disks it is independent of HDF5's own locks (flock), so h5py
//   reads a recording that is being written. On NFS the two locks are the same, and another HDF5
//   program requires HDF5_USE_FILE_LOCKING=FALSE to read the recording.
// - A file system without locks provides no protection. The run starts nevertheless.
//
// F_OFD_GETLK does not report who has a lock: its l_pid is -1. So the ends of the locked range
// encode the process id and the time at which the lock was taken. The range is far beyond the end
// of any file.

#include <fcntl.h>

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>

#include "torsor/base/error.hpp"

namespace torsor {

// Thrown if another program writes the recording. what() is the message for the user.
struct RecordingInUse : Error {
  // shown: the name of the recording in the message. file: the file that is locked.
  RecordingInUse(const std::filesystem::path& shown, const std::filesystem::path& file,
                 pid_t process, std::time_t since, const std::string& scene);
  std::filesystem::path shown, file;
  pid_t process;
  std::time_t since;
};

// Thrown if another program deleted, replaced or changed the recording while it was written. what()
// states what is lost.
struct RecordingLost : Error {
  using Error::Error;
};

// Thrown if rows could not be written, for example because the disk is full. what() states up to
// which time the recording has rows.
struct RecordingCut : Error {
  // failure: "cannot write 'PATH': WHY". rows: number of rows in the file. last_time: time of the
  // last row, s.
  RecordingCut(const std::string& failure, unsigned long long rows, double last_time);
};

class RecordingLock {
 public:
  // Opens the file, creating it if it is missing, and locks it. Its content stays unchanged. shown:
  // the name of the recording in messages, even if `path` is a temporary name. Throws
  // RecordingInUse, and Error if the file cannot be written.
  RecordingLock(const std::filesystem::path& path, const std::filesystem::path& shown);
  RecordingLock(const RecordingLock&) = delete;
  ~RecordingLock();

  int descriptor() const { return descriptor_; }
  // Makes the file empty. Throws Error.
  void clear();
  // Renames the file to the path. Throws Error.
  void rename_to(const std::filesystem::path& path);
  // Exchanges the names of this file and of the file at the path. Returns false if the file system
  // cannot do this.
  [[nodiscard]] bool exchange_with(const std::filesystem::path& path);

  // Returns the present size of the file in bytes.
  off_t size() const;
  // Stores the time of the last change, which this program then regards as its own change.
  void accept_changes();
  // Returns whether the file has changed since accept_changes(). A change within the same tick of
  // the clock of the file system (at most 10 ms) goes unnoticed.
  bool has_changed() const;
  // Throws RecordingLost if the path no longer refers to this file, because it was deleted, moved
  // or replaced. rows: number of rows written.
  void require_in_place(unsigned long long rows) const;

 private:
  // Opens and locks the file that is at the path now.
  void open_and_lock();
  // Throws the error for a file that cannot be opened. error: errno of open().
  [[noreturn]] void fail_to_open(int error) const;
  // Throws the error for the lock of another program. Returns if the lock has ended since then.
  void reject_other(const struct flock& other, int tries) const;

  std::filesystem::path shown_;
  std::filesystem::path absolute_;  // absolute path, independent of the current folder
  int descriptor_ = -1;
  timespec changed_{};
};

// Returns the target of a path after all symbolic links. The target of the last link may be
// missing. Throws Error for a loop of links.
std::filesystem::path without_links(std::filesystem::path path);

// A recording that is created as PATH.part and later replaces the older one of its name. Until then
// the older one stays unchanged, even if the disk is full or the program is killed.
class NewRecording {
 public:
  // Creates the new file, and its folder, and locks it. Locks the older recording, if there is one.
  // A path that is a symbolic link stays one: the recording is the target of the link, whether it
  // exists or not. Throws the errors of RecordingLock, and Error for a link to a file of another
  // extension.
  explicit NewRecording(const std::filesystem::path& path);
  NewRecording(const NewRecording&) = delete;
  // Removes the new file unless it is in place.
  ~NewRecording();

  RecordingLock& lock() { return *lock_; }
  const RecordingLock& lock() const { return *lock_; }
  // Returns the name of the new file until take_place().
  const std::filesystem::path& part() const { return part_; }
  // Replaces the older recording, and then calls and_then. Throws Error and the errors of and_then.
  // After an error the older recording, if any, is in place again. On file systems that cannot
  // exchange two files (NFS), the older one is lost.
  void take_place(const std::function<void()>& and_then = [] {});
  bool has_place() const { return has_place_; }
  // Throws RecordingCut if the new recording is in place. Otherwise throws Error, because the rows
  // of the older recording are not affected. The parameters are those of RecordingCut.
  [[noreturn]] void fail(const std::string& failure, unsigned long long rows,
                         double last_time) const;

 private:
  void discard();

  std::filesystem::path target_, part_;
  std::optional<RecordingLock> lock_, older_;
  bool has_place_ = false;
  bool keeps_older_ = false;  // the older recording has the name part_ and must not be removed
};

}  // namespace torsor
