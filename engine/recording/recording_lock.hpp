#pragma once
// The one program that writes a recording, the changes that other programs make to it meanwhile,
// and the moment at which it replaces the older one.
//
// The lock is an OFD lock (fcntl) on the file itself:
// - It ends with the process, however that ends. No file is left behind.
// - It belongs to the file and not to its name: links and other paths to the same file find it.
// - Readers do not ask for it. On local disks it is independent of HDF5's own locks (flock): h5py
//   reads a recording that is being written. On NFS the two are one: there another HDF5 program
//   needs HDF5_USE_FILE_LOCKING=FALSE to read it.
// - A file system without locks gives no protection; the run is not refused.
// F_OFD_GETLK does not tell who holds a lock: its l_pid is -1. So the ends of the locked range
// carry the process id and the time at which the lock was taken. It lies far beyond the end of any
// file.

#include <fcntl.h>

#include <ctime>
#include <filesystem>
#include <functional>
#include <optional>

#include "torsor/base/error.hpp"

namespace torsor {

// Another program writes the recording. what() is the message for the user.
struct RecordingInUse : Error {
  // shown: the name of the recording in the message. file: the one that is locked.
  RecordingInUse(const std::filesystem::path& shown, const std::filesystem::path& file,
                 pid_t process, std::time_t since, const std::string& scene);
  std::filesystem::path shown, file;
  pid_t process;
  std::time_t since;
};

// Another program deleted, replaced or changed the recording while it was written. what() says what
// is lost.
struct RecordingLost : Error {
  using Error::Error;
};

// Rows could not be written, for example because the disk is full. what() says up to which time the
// recording has rows.
struct RecordingCut : Error {
  // failure: "cannot write 'PATH': WHY". rows: those in the file. last_time: that of the last one.
  RecordingCut(const std::string& failure, unsigned long long rows, double last_time);
};

class RecordingLock {
 public:
  // Opens the file, creating it if it is missing, and locks it. Its content stays as it is. shown:
  // the name of the recording in messages, also if this is its file of another name. Throws
  // RecordingInUse, and Error if the file cannot be written.
  RecordingLock(const std::filesystem::path& path, const std::filesystem::path& shown);
  RecordingLock(const RecordingLock&) = delete;
  ~RecordingLock();

  int descriptor() const { return descriptor_; }
  // Makes the file empty. Throws Error.
  void clear();
  // Gives the file the path in place of the one that it was opened with. Throws Error.
  void rename_to(const std::filesystem::path& path);
  // Gives the file the path, and the file of that path its own. Returns false if the file system
  // cannot do that.
  [[nodiscard]] bool exchange_with(const std::filesystem::path& path);

  // Returns the present size of the file in bytes.
  off_t size() const;
  // Remembers the time of the last change, which is then this program's own.
  void accept_changes();
  // Returns whether the file has changed since accept_changes(). A change within the same tick of
  // the clock of the file system (at most 10 ms) goes unnoticed.
  bool has_changed() const;
  // Throws RecordingLost if the path no longer names this file, because it was deleted, moved or
  // replaced. rows: those written.
  void require_in_place(unsigned long long rows) const;

 private:
  // Opens and locks the file that has the path now.
  void open_and_lock();
  // Throws the error for a file that cannot be opened. error: of open().
  [[noreturn]] void fail_to_open(int error) const;
  // Throws the error for the lock of another program. Returns if the lock has ended meanwhile.
  void reject_other(const struct flock& other, int tries) const;

  std::filesystem::path shown_;
  std::filesystem::path absolute_;  // the path, whatever the current folder is
  int descriptor_ = -1;
  timespec changed_{};
};

// Returns the path that a path leads to by symbolic links, of which the last may lead nowhere.
// Throws Error for a loop of links.
std::filesystem::path without_links(std::filesystem::path path);

// A recording that is created as PATH.part and then takes the place of the older one of its name.
// The older one stays as it is until then, also if the disk is full or the program is killed.
class NewRecording {
 public:
  // Creates the new file, and its folder, and locks it. Locks the older recording, if there is one.
  // A path that is a symbolic link stays one: the recording is the file that it leads to, existing
  // or not. Throws Error as RecordingLock, and for a link to a file of another extension.
  explicit NewRecording(const std::filesystem::path& path);
  NewRecording(const NewRecording&) = delete;
  // Removes the new file unless it has its name.
  ~NewRecording();

  RecordingLock& lock() { return *lock_; }
  const RecordingLock& lock() const { return *lock_; }
  // Returns the name of the new file until take_place().
  const std::filesystem::path& part() const { return part_; }
  // Replaces the older recording, and then calls and_then. Throws Error, and what and_then throws:
  // the older recording is in its place then, or none if there was none. On file systems that
  // cannot exchange two files (NFS), the older one is lost.
  void take_place(const std::function<void()>& and_then = [] {});
  bool has_place() const { return has_place_; }
  // Throws RecordingCut, or Error while the older recording is in place: its rows are not affected.
  // The parameters are those of RecordingCut.
  [[noreturn]] void fail(const std::string& failure, unsigned long long rows,
                         double last_time) const;

 private:
  void discard();

  std::filesystem::path target_, part_;
  std::optional<RecordingLock> lock_, older_;
  bool has_place_ = false;
  bool keeps_older_ = false;  // the older recording has the name part_, and stays
};

}  // namespace torsor
