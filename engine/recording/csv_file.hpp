#pragma once
// Rows of numbers as CSV: a header line of "name [unit]", then the shortest decimals that read back
// to the same doubles.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor {

class CsvFile {
 public:
  // Creates the folder if it is missing. shown: the name of the file in messages; "" is path.
  // Throws Error if the file cannot be written.
  CsvFile(const std::filesystem::path& path, const std::vector<Column>& columns,
          const std::filesystem::path& shown = "");
  // These throw Error where the disk takes no more.
  void write(std::span<const double> row);
  void flush();
  void close();
  // Closes the file without what was not flushed: it belongs to another program now.
  void abandon();
  // Returns the size in bytes that the file has after the next flush. Nobody else writes to it if
  // it is the same on the disk.
  size_t size() const { return size_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void put(const std::string& text);
  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  size_t size_ = 0;
};

// What such a file holds; a header says nothing of frames.
struct CsvTable {
  std::vector<Column> columns;
  std::vector<double> values;  // [rows][columns]
};
// Throws Error, with the line, for what CsvFile would not have written. Where it is not whole, as
// after a run that was killed, a last line without an end is left out: it may be a part of a row.
CsvTable read_csv(const std::filesystem::path& path, bool whole = true);

// Rows of numbers that anybody wrote: parted by commas, all of one length, with a first line of
// names or without. Throws Error, with the line, for anything else.
std::vector<std::vector<double>> read_csv_rows(const std::filesystem::path& path);

}  // namespace torsor
