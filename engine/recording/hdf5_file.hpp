#pragma once
// A recording as one HDF5 file.
//
//   /SIGNAL             [rows][columns of the signal], 8-byte reals. Attributes, one string per
//                       column: columns (names), units, frames ("" for a scalar); for six-vectors
//                       six_vector_order, for poses quaternion_order
//   /time               [rows], in the same way
//   /row_crc32          [rows], checksum of a row: the CRC-32 of its values in the order of the
//                       datasets, little-endian doubles. The start value is the number of the row,
//                       counted from 0
//   /description        JSON, one character per element
//   /description_crc32  CRC-32 of the description, and of the one that replaces it at the end
//   signals             attribute of the file: the names of the datasets of rows, in order
//
// The file is written in HDF5's single-writer mode, which orders all writes to the disk. At any
// time a reader in the same mode (h5py: swmr=True) finds complete rows, even if the writer is
// killed.
// Only the mark of a writer remains in the file of a run that was killed. Tools that do not use
// this mode, such as h5dump, reject the file until `h5clear -s FILE` is run.
//
// HDF5 has checksums for its metadata, but not for the rows. Its filter Fletcher32 is not used, for
// two reasons:
// - It has one checksum per chunk, and a chunk that is not full is rewritten in place at each
//   flush. A program killed during this write leaves a wrong checksum, and rows that were flushed
//   before are lost.
// - A chunk of zeros, as a lost page leaves it, has a correct Fletcher checksum.
//
// A checksum per row is appended once and never rewritten. A wrong one identifies exactly which row
// is lost.
//
// The bytes depend only on the rows, not on when they were flushed.

#include "torsor/recording/recording.hpp"

namespace torsor {

// Creates the file and locks it (recording_lock.hpp). Throws Error, including RecordingInUse.
//
// HDF5 cannot recover from a full disk. So space on the disk is reserved before HDF5 writes
// anything: for a chunk of every signal before the first row of the chunk, and for the description
// that close() writes.
// write() throws RecordingCut for the first row without space. All rows before it, and the
// description, can still be written. The new file replaces the older one when it has a description
// and space for its first chunks.
std::unique_ptr<RecordingFile> create_hdf5(const std::filesystem::path& path,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::string>& signals,
                                           const std::string& description, Replaces when);
// Reads a recording. Leaves out rows that are lost because the file is damaged or cut off, and
// reports them in Recording::damage. Throws Error if no row can be read.
Recording read_hdf5(const std::filesystem::path& path);
// Returns the description alone. Throws Error if it cannot be read.
std::string read_hdf5_description(const std::filesystem::path& path);

}  // namespace torsor
