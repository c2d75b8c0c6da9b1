#pragma once
// The bytes of a row in the table of a study (study_table.hpp). Only the files of the table include
// this header.

#include <cstddef>
#include <span>

#include "torsor/recording/hdf5_handle.hpp"
#include "torsor/study/table/study_layout.hpp"

namespace torsor {

class RowFormat {
 public:
  // Throws Error if two columns have the same name, or if there are more columns or labels than a
  // table can have.
  explicit RowFormat(const StudyLayout& layout);

  size_t bytes() const { return bytes_; }
  // Returns the compound type of a row. The types of the file and of the memory are the same.
  hdf5::Handle type() const;
  // Writes a row to out, [bytes()].
  void encode(uint64_t sample, const SampleRow& row, std::span<std::byte> out) const;
  // Reads a row. Its status is not_run if the checksum is wrong, or if it is not that of the
  // sample.
  SampleRow decode(uint64_t sample, std::span<const std::byte> in) const;

  // A column of the table.
  struct Column {
    std::string name, unit, role;  // role: "parameter", "outcome" or "result"
  };
  std::vector<Column> columns() const;

 private:
  std::vector<StudyColumn> parameters_, outcomes_;
  size_t bytes_;
};

}  // namespace torsor
