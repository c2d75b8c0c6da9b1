#include "torsor/recording/hdf5_handle.hpp"

namespace torsor::hdf5 {

// Clears HDF5's error stack. HDF5 does not free the error stack of a thread that has ended.
Failure::Failure(const std::string& why) : std::runtime_error(why) {
  H5Eclear2(H5E_DEFAULT);
}

std::mutex& library_lock() {
  static std::mutex lock;
  return lock;
}

int descriptor_of(hid_t file) {
  void* descriptor = nullptr;
  checked(H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor));
  return *static_cast<int*>(descriptor);
}

Handle text_type(size_t size) {
  Handle type = checked(H5Tcopy(H5T_C_S1));
  checked(H5Tset_size(type, size));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD));
  return type;
}

Handle chunked_dataset(int rank, const hsize_t* chunk) {
  Handle list = checked(H5Pcreate(H5P_DATASET_CREATE));
  checked(H5Pset_obj_track_times(list, false));
  checked(H5Pset_chunk(list, rank, chunk));
  return list;
}

Handle file_access(unsigned attempts) {
  Handle access = checked(H5Pcreate(H5P_FILE_ACCESS));
  checked(H5Pset_metadata_read_attempts(access, attempts));
  checked(H5Pset_file_locking(access, false, true));
  return access;
}

Handle own_links() {
  const H5L_elink_traverse_t reject = [](const char*, const char*, const char*, const char*,
                                         unsigned*, hid_t, void*) -> herr_t { return -1; };
  Handle list = checked(H5Pcreate(H5P_DATASET_ACCESS));
  checked(H5Pset_elink_cb(list, reject, nullptr));
  return list;
}

}  // namespace torsor::hdf5
