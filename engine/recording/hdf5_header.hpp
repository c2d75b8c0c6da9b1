#pragma once
// Checks of object headers before HDF5 uses them. Only the files hdf5_*.cpp include this header.

#include <hdf5.h>

namespace torsor::hdf5 {

// Returns the present length of the file in bytes, which bounds every allocation. Throws Failure.
hsize_t length_of(hid_t file);

// Checks the header of a dataset, or of the file itself for the name ".". HDF5 1.10 trusts these
// headers: wrong ones make it read memory beyond an attribute or a chunk, crash or search for
// hours.
// Throws Unsupported if a part of the header is stored elsewhere in the file. Throws Failure if
// - an attribute claims more bytes than it has, or the index of the attributes is beyond the file,
// - the chunks have other dimensions or values than the dataset,
// - the index of the chunks claims more entries than the file can have,
// - a part is stored in another file.
// Does not check attributes in a separate heap, where HDF5 puts attributes of more than 64 kB.
void require_sound_header(hid_t file, const char* name);

}  // namespace torsor::hdf5
