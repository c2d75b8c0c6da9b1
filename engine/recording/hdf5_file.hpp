#pragma once
// A recording as one HDF5 file.
//
//   /SIGNAL             [rows][columns of the signal], 8-byte reals. Attributes, one string per
//                       column: columns (names), units, frames ("" for a scalar). Six-vectors also
//                       have the attribute six_vector_order, and poses quaternion_order
//   /time               [rows], with the same attributes
//   /row_crc32          [rows], checksum of each row: the CRC-32 of its values in the order of the
//                       datasets, as little-endian doubles. The start value is the row number,
//                       counted from 0
//   /description        JSON, one character per element
//   /description_crc32  CRC-32 of the initial description and of the final one that replaces it
//   signals             attribute of the file: the names of the datasets of rows, in order
//
// The file is written in HDF5's single-writer mode (SWMR), which orders all writes to the disk. A
// reader in the same mode (h5py: swmr=True) always finds complete rows, even if the writer is
// killed. In the file of a run that was killed, a flag still states that a writer is active. Tools
// that do not use this mode, such as h5dump, reject the file until `h5clear -s FILE` is run.
//
// HDF5 has checksums for its metadata, but not for the rows. Its filter Fletcher32 is not used, for
// two reasons:
// - It has one checksum per chunk, and each flush rewrites a chunk that is not full. If the program
//   is killed during this write, the checksum is wrong, and rows of earlier flushes are lost.
// - A chunk of zeros, as a lost page leaves it, has a correct Fletcher checksum.
//
// In contrast, a checksum per row is appended once and never rewritten. A wrong checksum identifies
// exactly which row is lost.
//
// The bytes of the file depend only on the rows, not on when they were flushed.

#include "torsor/recording/recording.hpp"

namespace torsor {

// Creates the file and locks it (recording_lock.hpp). Throws RecordingInUse if another program
// writes it, or Error if it cannot be written.
//
// HDF5 cannot recover from a full disk. Disk space is therefore allocated before HDF5 writes
// anything:
// - for a chunk of every signal, before the first row of the chunk
// - for the description that close() writes
//
// write() throws RecordingCut for the first row for which there is no space. All rows before it,
// and the description, can still be written. With Replaces::at_once, the new file replaces the
// older one when it has a description and space for its first chunks.
std::unique_ptr<RecordingFile> create_hdf5(const std::filesystem::path& path,
                                           const std::vector<Column>& columns,
                                           const std::vector<std::string>& signals,
                                           const std::string& description, Replaces when);
// Reads a recording. Omits rows that are lost because the file is damaged or truncated, and reports
// them in Recording::damage. Throws Error if no row can be read.
Recording read_hdf5(const std::filesystem::path& path);
// Returns only the description. Throws Error if it cannot be read.
std::string read_hdf5_description(const std::filesystem::path& path);

}  // namespace torsor
