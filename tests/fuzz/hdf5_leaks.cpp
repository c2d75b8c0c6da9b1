// Suppresses two leaks of HDF5 1.10 itself in the target hdf5 (README.md). The stacks of these
// leaks need the slow unwinder of the sanitizer, because libhdf5 has no frame pointers.

extern "C" {
const char* __lsan_default_options();
const char* __lsan_default_suppressions();

const char* __lsan_default_options() {
  return "fast_unwind_on_malloc=0:print_suppressions=0";
}

const char* __lsan_default_suppressions() {
  return "leak:^H5O_protect$\nleak:^H5D__layout_oh_read$\n";
}
}
