#pragma once
// The HDF5 objects of a study's file. Only the files of the table include this header.

#include <string>
#include <vector>

#include "torsor/recording/hdf5_handle.hpp"
#include "torsor/study/table/failure_kinds.hpp"
#include "torsor/study/table/row_format.hpp"

namespace torsor::hdf5 {

inline constexpr const char *samples_name = "samples", *failures_name = "failures",
                            *study_description_name = "description";

// Returns the type of a row of /failures: key, sample and message, without gaps.
Handle failure_type();
inline constexpr size_t failure_bytes = 4 + 8 + FailureKinds::longest;
// Returns the bytes of all rows of /failures.
std::string failure_bytes_of(const std::vector<FailureKind>& kinds);

// Offsets in the file of the rows of /samples and /failures, in bytes.
struct StudyOffsets {
  haddr_t samples, failures;
};

// Creates the content of a new file. Throws Failure if HDF5 fails.
StudyOffsets create_study(const std::string& path, const StudyLayout& layout,
                          const RowFormat& format);

// Returns whether a file has the datasets of a study. See is_study() of study_reader.hpp.
bool has_parts_of_study(const std::string& path);

// A study's file that is open for reading.
struct StudyFile {
  Handle file, samples, failures;
  StudyLayout layout;

  // Opens a file. Throws Error "PATH: not a study: why".
  explicit StudyFile(const std::string& path);
  std::vector<FailureKind> read_failures() const;
  // Returns the offsets. Throws Error if the rows are not stored in one piece.
  StudyOffsets offsets() const;
};

}  // namespace torsor::hdf5
