#pragma once
// Locks a recording for the one program that writes it, detects changes that other programs make,
// and replaces the older recording of the same name.
//
// The lock is an OFD lock (fcntl) on the file itself:
// - It ends with the process, even if the process crashes. No lock file is left on the disk.
// - It belongs to the file and not to its name, so links and other paths to the file find it.
// - Readers do not use it. On local disks it is independent of HDF5's own locks (flock), so h5py
//   reads a recording that is being written. On NFS the two kinds of locks are the same. Other HDF5
//   programs then require HDF5_USE_FILE_LOCKING=FALSE to read the recording.
// - A file system without locks provides no protection. The run starts nevertheless.
//
// F_OFD_GETLK does not report who has a lock: its l_pid is -1. The ends of the locked range
// therefore encode the process id and the time at which the lock was taken. The range is far beyond
// the end of any file.

#include <fcntl.h>

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>

#include "torsor/base/error.hpp"

namespace torsor {

// Thrown if another program is writing the recording. what() is the message for the user.
struct RecordingInUse : Error {
  // - shown: the name of the recording in the message
  // - file: the locked file
  // - process, since: process id of the other program, and the time at which it took the lock
  // - scene: the scene that the other program records, or ""
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

// Thrown if rows could not be written, for example because the disk is full. what() states how many
// rows the recording has, and the time of the last one.
struct RecordingCut : Error {
  // - failure: "cannot write 'PATH': WHY"
  // - rows: number of rows in the file
  // - last_time: time of the last row, s
  RecordingCut(const std::string& failure, unsigned long long rows, double last_time);
};

class RecordingLock {
 public:
  // Opens the file, creating it if it is missing, and locks it. Does not change its content. shown:
  // the name of the recording in messages, even if `path` is a temporary name. Throws
  // RecordingInUse if another program is writing the recording, or Error if the file cannot be
  // written.
  RecordingLock(const std::filesystem::path& path, const std::filesystem::path& shown);
  RecordingLock(const RecordingLock&) = delete;
  ~RecordingLock();

  int descriptor() const { return descriptor_; }
  // Removes the content of the file. Throws Error if this fails.
  void clear();
  // Renames the file to the path. Throws Error if this fails.
  void rename_to(const std::filesystem::path& path);
  // Exchanges the names of this file and of the file at the path. Returns false if this fails, for
  // example because the file system does not support it.
  [[nodiscard]] bool exchange_with(const std::filesystem::path& path);

  // Returns the present size of the file in bytes.
  off_t size() const;
  // Stores the time of the last change to the file. has_changed() then reports only later changes.
  void accept_changes();
  // Returns whether the file has changed since accept_changes(). Does not detect a change within
  // the same clock tick of the file system (at most 10 ms).
  bool has_changed() const;
  // Throws RecordingLost if the path no longer refers to this file, because it was deleted, moved
  // or replaced. rows: number of rows written.
  void require_in_place(unsigned long long rows) const;

 private:
  // Opens and locks the file that is at the path at this time.
  void open_and_lock();
  // Throws Error for a file that cannot be opened. error: errno of open().
  [[noreturn]] void fail_to_open(int error) const;
  // Throws an error for the lock of another program. Returns if that program has released the lock
  // in the meantime.
  void reject_other(const struct flock& other, int tries) const;

  std::filesystem::path shown_;
  std::filesystem::path absolute_;  // absolute path, independent of the current folder
  int descriptor_ = -1;
  timespec changed_{};
};

// Follows all symbolic links and returns the final target. This target need not exist. Throws Error
// for a loop of links.
std::filesystem::path without_links(std::filesystem::path path);

// A recording that is created as PATH.part and later replaces the older one of the same name. Until
// then the older one is unchanged, even if the disk is full or the program is killed.
class NewRecording {
 public:
  // Creates and locks the new file, and creates its folder if it is missing. Also locks the older
  // recording, if there is one. If the path is a symbolic link, the recording is the target of the
  // link, whether this target exists or not. The link itself remains. Throws Error under the same
  // conditions as RecordingLock, and for a link to a file with another extension.
  explicit NewRecording(const std::filesystem::path& path);
  NewRecording(const NewRecording&) = delete;
  // Removes the new file if it has not replaced the older recording.
  ~NewRecording();

  RecordingLock& lock() { return *lock_; }
  const RecordingLock& lock() const { return *lock_; }
  // Returns the temporary path PATH.part. The new file has this path until take_place().
  const std::filesystem::path& part() const { return part_; }
  // Replaces the older recording, and then calls and_then. Throws Error if the replacement fails,
  // and passes on the errors of and_then. After an error, the older recording, if any, is restored.
  // On file systems that cannot exchange two files (NFS), the older recording is lost.
  void take_place(const std::function<void()>& and_then = [] {});
  bool has_place() const { return has_place_; }
  // Throws RecordingCut if the new recording has replaced the older one. Otherwise the older
  // recording is unchanged, and the function throws Error. The parameters are those of
  // RecordingCut.
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
