#pragma once
// The one program that writes a recording, and the changes that other programs make to it
// meanwhile.
//
// The lock is an OFD lock (fcntl) on the file itself:
// - It ends with the process, however that ends. No file is left behind.
// - It belongs to the file and not to its name: links and other paths to the same file find it.
// - Readers do not ask for it. On local disks it is independent of HDF5's own locks (flock), so that
//   h5py reads a recording that is being written. On NFS the two are one: there another HDF5 program
//   needs HDF5_USE_FILE_LOCKING=FALSE to read it.
// - A file system without locks gives no protection; the run is not refused.
// F_OFD_GETLK does not tell who holds a lock: its l_pid is -1. So the ends of the locked range carry
// the process id and the time at which the lock was taken. It lies far beyond the end of any file.

#include <fcntl.h>

#include <ctime>
#include <filesystem>

#include "torsor/model/error.hpp"

namespace torsor {

// Another program writes the recording. what() is the message for the user.
struct RecordingInUse : Error {
  RecordingInUse(const std::filesystem::path& path, pid_t process, std::time_t since,
                 const std::string& scene);
  std::filesystem::path path;
  pid_t process;
  std::time_t since;
};

// Another program deleted, replaced or changed the recording while it was written. what() says what
// is lost.
struct RecordingLost : Error {
  using Error::Error;
};

class RecordingLock {
 public:
  // Opens the file, creating it if it is missing, and locks it. Its content stays as it is. Throws
  // RecordingInUse, and Error if the file cannot be written.
  explicit RecordingLock(const std::filesystem::path& path);
  RecordingLock(const RecordingLock&) = delete;
  ~RecordingLock();

  int descriptor() const { return descriptor_; }
  // Makes the file empty. Throws Error.
  void clear();

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
  // Throws the error for the lock of another program. Returns if the lock has ended meanwhile.
  void reject_other(const struct flock& other, int tries) const;

  std::filesystem::path path_, absolute_;  // as it was given; whatever the current folder is
  int descriptor_ = -1;
  timespec changed_{};
};

}  // namespace torsor
