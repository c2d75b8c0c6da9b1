#pragma once
// A recording as one HDF5 file.
//
//   /SIGNAL             [rows][columns of the signal], 8-byte reals. Attributes, one text for each
//                       column: columns (names), units, frames ("" for a scalar); for six-vectors
//                       six_vector_order, for poses quaternion_order
//   /time               [rows], the same way
//   /row_crc32          [rows], checksum of a row: the CRC-32 of its values in the order of the
//                       datasets, little-endian doubles, with the number of the row (0 is the
//                       first) as start value
//   /description        JSON, one character per element
//   /description_crc32  CRC-32 of the description, and of the one that replaces it at the end
//   signals             attribute of the file: the names of the datasets of rows, in order
//
// It is written in HDF5's single-writer mode, which orders what goes to disk so that at any moment
// a reader in the same mode (h5py: swmr=True) finds whole rows; no reader needs the writer to end
// well. Only the mark of a writer remains in the file of a run that was killed: tools that do not
// ask for that mode, as h5dump, refuse it until `h5clear -s FILE`.
//
// HDF5 has checksums in its metadata, but none in the rows. Its filter Fletcher32 is not used. It
// has one checksum per chunk, and a chunk that is not full is written again at each flush, in
// place: a program killed in that write leaves a chunk whose checksum is wrong, and rows that were
// flushed before are lost. And a chunk of zeros, as a lost page leaves it, has a correct Fletcher
// checksum. A checksum per row is appended once and never written again; a wrong one tells exactly
// which row is lost.
//
// The bytes depend on the rows alone, not on when they were flushed.

#include "torsor/recording/recording.hpp"

namespace torsor {

// Creates the file and locks it (recording_lock.hpp). Throws Error, also RecordingInUse.
//
// HDF5 cannot recover from a disk that is full. So room is reserved on the disk before HDF5 is
// given anything to write: for a chunk of every signal before the first row of the chunk, and for
// the description that close() writes. write() throws RecordingCut for the first row without room;
// all rows before it, and the description, can still be written. The new file replaces the older
// one when it has a description, and room for its first chunks.
std::unique_ptr<RecordingFile> create_hdf5(const std::filesystem::path& path,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::string>& signals,
                                           const std::string& description, Replaces when);
// Reads a recording. Rows that are lost because the file is damaged or cut off are left out, and
// Recording::damage says which. Throws Error if no row can be read.
Recording read_hdf5(const std::filesystem::path& path);
// Returns the description alone. Throws Error if it cannot be read.
std::string read_hdf5_description(const std::filesystem::path& path);

}  // namespace torsor
