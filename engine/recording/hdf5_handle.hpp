#pragma once
// HDF5's identifiers and errors. Only the files hdf5_*.cpp include this header.

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace torsor::hdf5 {

// A failure of HDF5. what() is the reason in plain words, because HDF5's own messages are for
// programmers.
struct Failure : std::runtime_error {
  explicit Failure(const std::string& why);
};

// An HDF5 file that is valid, but stored in a way that this reader does not check.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the result of a call. Throws Failure if it is negative, which means that the call failed.
template <class Result>
Result checked(Result result, const char* why = "HDF5 cannot access a part of it") {
  if (result < 0) throw Failure(why);
  return result;
}

// An HDF5 identifier of any kind (hid_t) that is released with this object.
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

// Returns the file descriptor of an HDF5 file. Throws Failure.
int descriptor_of(hid_t file);

// Returns a type for UTF-8 strings of `size` bytes, padded with '\0'.
Handle text_type(size_t size);

// Returns the creation properties of a dataset with chunks of this size. They exclude time stamps,
// so that the same rows have the same bytes.
Handle chunked_dataset(int rank, const hsize_t* chunk);

// Returns the access properties for opening recordings. attempts: maximum number of attempts to
// read metadata with a wrong checksum, which a writer may be about to complete.
// HDF5 waits 1 ns before the second attempt and twice as long before each further one, so its
// default of 100 attempts never ends. HDF5's locks are disabled: recording_lock.hpp has a lock that
// readers do not need.
Handle file_access(unsigned attempts);

// Returns access properties of datasets that follow no link to another file. Otherwise a recording
// of unknown origin could show other files of the user, or block forever on a pipe.
Handle own_links();

// Names of the datasets of checksums (hdf5_file.hpp).
inline constexpr const char *row_checksums = "row_crc32",
                            *description_checksums = "description_crc32";

}  // namespace torsor::hdf5
