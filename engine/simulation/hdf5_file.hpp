#pragma once
// A recording as one HDF5 file.
//
//   /SIGNAL        [rows][columns of the signal], 8-byte reals. Attributes, one text for each column: columns (names), units,
//                  frames ("" for a scalar); for six-vectors six_vector_order, for poses quaternion_order
//   /time          [rows], the same way
//   /description   JSON, one character per element
//   signals        attribute of the file: the names of the datasets of rows, in order
//
// It is written in HDF5's single-writer mode, which orders what goes to disk so that at any moment a reader in the same mode
// (h5py: swmr=True) finds whole rows; no reader needs the writer to end well. Only the mark of a writer remains in the file
// of a run that was killed: tools that do not ask for that mode, as h5dump, refuse it until `h5clear -s FILE`.
//
// The bytes depend on the rows alone, not on when they were flushed.

#include "torsor/simulation/recording.hpp"

namespace torsor {

// Room on the disk is reserved before HDF5 is given anything to write, since it cannot recover from a disk that is full.
std::unique_ptr<RecordingFile> create_hdf5(const std::filesystem::path& path,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::string>& signals,
                                           const std::string& description);
Recording read_hdf5(const std::filesystem::path& path);

}  // namespace torsor
