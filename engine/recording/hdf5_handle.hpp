#pragma once
// HDF5's identifiers and errors, for the files hdf5_*.cpp alone.

#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace torsor::hdf5 {

// A failure of HDF5. what() is the reason in our words: HDF5's own texts are for programmers.
struct Failure : std::runtime_error {
  explicit Failure(const std::string& why);
};

// A file that HDF5 reads, but that is stored in a way that is not checked here.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Returns the result of a call. Throws Failure if it is negative, which means that the call failed.
template <class Result>
Result checked(Result result, const char* why = "HDF5 cannot access a part of it") {
  if (result < 0) throw Failure(why);
  return result;
}

// Owns an identifier of any kind.
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

// Keeps HDF5 from printing its errors itself, in this thread.
inline void be_quiet() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

// Returns HDF5's descriptor of a file. Throws Failure.
int descriptor_of(hid_t file);

Handle text_type(size_t size);  // UTF-8 of so many bytes, filled up with '\0'

// Returns the list with which a dataset of such chunks is created. It keeps no time, so that the
// same rows give the same bytes.
Handle chunked_dataset(int rank, const hsize_t* chunk);

// Returns the list with which recordings are opened. attempts: how often metadata whose checksum is
// wrong are read, because their writer may be about to write them. HDF5 waits 1 ns before the
// second attempt and twice as long before each further one: its own default of 100 attempts never
// ends. HDF5's locks are not used: recording_lock.hpp has ours, which readers do not need.
Handle file_access(unsigned attempts);

// Returns an access list of datasets that follows no link to another file. A stranger's recording
// could otherwise show other files of the user, or never return from opening a pipe.
Handle own_links();

// Datasets of checksums (hdf5_file.hpp).
inline constexpr const char *row_checksums = "row_crc32",
                            *description_checksums = "description_crc32";

}  // namespace torsor::hdf5
