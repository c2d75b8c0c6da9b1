#pragma once
// Checks of object headers before HDF5 uses them. Only the files hdf5_*.cpp include this header.

#include <hdf5.h>

namespace torsor::hdf5 {

// Returns the present length of the file in bytes. It limits every allocation. Throws Failure if
// the length is unknown.
hsize_t length_of(hid_t file);

// Checks the header of a dataset. For the name ".", checks the header of the file itself. HDF5 1.10
// does not check these headers. A damaged header makes it read memory beyond an attribute or a
// chunk, crash, or search for hours. Throws Unsupported if a part of the header is stored elsewhere
// in the file. Throws Failure in these cases:
// - An attribute claims more bytes than it has, or the index of the attributes is beyond the file.
// - The chunks have other dimensions or values than the dataset.
// - The index of the chunks claims more entries than the file can have.
// - A part is stored in another file.
//
// Does not check attributes in a separate heap, where HDF5 stores attributes of more than 64 kB.
void require_sound_header(hid_t file, const char* name);

}  // namespace torsor::hdf5
