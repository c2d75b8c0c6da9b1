#pragma once
// The results of a study as one HDF5 table.
//
//   /samples      one row per sample, a compound type without gaps:
//                   sample         index of the sample in the study
//                   status         SampleStatus
//                   PARAMETER ...  values of parameters; text is an enumeration
//                   OUTCOME ...    results of the run, NaN if undefined
//                   failure        key of the kind of failure (failure_kinds.hpp), or 0
//                   state_hash     hash of the final state
//                   wall_time      s
//                   row_crc32      CRC-32 of the bytes before it in the row
//                 Attributes: names, units and roles of all columns, as strings
//   /failures     the kinds of failures: key, the first sample, and its message
//   /description  JSON, one character per element: everything that determines the samples
//
// All rows have their place from the start, in the order of the samples. A row whose status is
// not_run has not been computed. The file is complete and closed, as far as HDF5 is concerned,
// before the first sample runs. A row is written by one system call, without HDF5:
// - Any number of threads write rows without a lock.
// - Any HDF5 program reads the file at any time.
// - A process that is killed leaves a readable file. A row that was being written has a wrong
//   checksum, and counts as not run.
// - The disk cannot become full during the study, because its space is allocated at the start.
// - The bytes of all columns except wall_time and row_crc32 are the same for any number of threads.

#include <filesystem>
#include <memory>
#include <vector>

#include "torsor/study/table/failure_kinds.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor {

// A table to which one program writes. It is locked (recording_lock.hpp).
class StudyTable {
 public:
  // Creates a table without results, and replaces an older file of this name. Throws Error in these
  // cases:
  // - The file cannot be written, or the disk has too little space.
  // - Two columns have the same name, or there are more columns than a table can have.
  static StudyTable create(const std::filesystem::path& path, const StudyLayout& layout);
  // Opens a table to continue it. Throws Error if it is not a table of a study, or if another
  // program writes it.
  static StudyTable open(const std::filesystem::path& path);
  StudyTable(StudyTable&&) noexcept;
  ~StudyTable();

  const StudyLayout& layout() const;
  // Returns whether a row had a result when the table was opened, and the number of these rows.
  bool has(uint64_t row) const;
  uint64_t results() const;
  // Writes a result. Thread-safe for different rows. Throws Error if the file system fails.
  void write(uint64_t row, const SampleRow& values);
  // Adds a message to the kinds of failures, and returns its key. Thread-safe.
  uint32_t add_failure(uint64_t sample, const std::string& message);
  // Returns the kinds in the order of their first samples.
  std::vector<FailureKind> failures() const;
  // Flushes the file to the disk. Throws Error if the file system fails.
  void finish();

 private:
  struct Impl;
  explicit StudyTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace torsor
