#include "torsor/simulation/hdf5_handle.hpp"

namespace torsor::hdf5 {

namespace {

std::string innermost_reason() {
  std::string reason = "unknown";
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned n, const H5E_error2_t* error, void* out) -> herr_t {
        if (n == 0) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &reason);
  H5Eclear2(
      H5E_DEFAULT);  // what a thread that ends leaves there, the library does not get rid of when it is closed
  return reason;
}

}  // namespace

Failure::Failure() : std::runtime_error("HDF5: " + innermost_reason()) {}

Handle text_type(size_t size) {
  Handle type = checked(H5Tcopy(H5T_C_S1));
  checked(H5Tset_size(type, size));
  checked(H5Tset_cset(type, H5T_CSET_UTF8));
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD));
  return type;
}

}  // namespace torsor::hdf5
