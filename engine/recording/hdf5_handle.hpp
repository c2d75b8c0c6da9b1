#pragma once
// HDF5's identifiers and errors. Only the files hdf5_*.cpp include this header.

#include <hdf5.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace torsor::hdf5 {

// A failure of HDF5. what() is the reason in plain words. HDF5's own messages are intended for
// programmers.
struct Failure : std::runtime_error {
  explicit Failure(const std::string& why);
};

// Thrown for a valid HDF5 file that is stored in a way that this reader does not check.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the result of an HDF5 call. Throws Failure if the result is negative, which means that
// the call failed.
template <class Result>
Result checked(Result result, const char* why = "HDF5 cannot access a part of it") {
  if (result < 0) throw Failure(why);
  return result;
}

// Owns an HDF5 identifier of any kind (hid_t) and releases it in the destructor.
class Handle {
 public:
  Handle(hid_t id = H5I_INVALID_HID) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) H5Idec_ref(id_);
  }
  operator hid_t() const { return id_; }
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_;
};

// Prevents HDF5 from printing its own errors in this thread.
inline void be_quiet() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// HDF5 is not thread-safe in all builds, and several threads may use recordings and studies.
// Readers of both, and the functions that create a table of a study, hold this lock.
std::mutex& library_lock();

// Returns the file descriptor of an HDF5 file. Throws Failure if HDF5 does not provide it.
int descriptor_of(hid_t file);

// Returns a type for UTF-8 strings of `size` bytes, padded with '\0'.
Handle text_type(size_t size);

// Returns the creation properties of a dataset with chunks of this size. The dataset stores no time
// stamps, so recordings of the same rows have the same bytes.
Handle chunked_dataset(int rank, const hsize_t* chunk);

// Returns the access properties for opening recordings. attempts: maximum number of attempts to
// read metadata with a wrong checksum. The metadata may be wrong only until an active writer
// completes them. HDF5 waits 1 ns before the second attempt and doubles the time before each
// further attempt. Its default of 100 attempts would never end. Disables HDF5's own locks.
// recording_lock.hpp locks recordings in a way that does not affect readers.
Handle file_access(unsigned attempts);

// Returns dataset access properties that reject links to other files. Through such a link, a
// recording from an unknown source could show other files of the user, or block forever on a pipe.
Handle own_links();

// Names of the datasets of checksums (hdf5_file.hpp).
inline constexpr const char *row_checksums = "row_crc32",
                            *description_checksums = "description_crc32";

}  // namespace torsor::hdf5
