#pragma once
// CSV files of rows of numbers: a header line of "name [unit]" fields, then the shortest decimals
// that read back as the same doubles.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor {

class CsvFile {
 public:
  // Creates the file, and its folder if it is missing. shown: the name of the file in messages; if
  // "", path is used. Throws Error if the file cannot be written.
  CsvFile(const std::filesystem::path& path, const std::vector<Column>& columns,
          const std::filesystem::path& shown = "");
  // The next three functions throw Error if the disk rejects the data.
  void write(std::span<const double> row);
  void flush();
  void close();
  // Closes the file and discards what was not flushed, because another program has taken over the
  // file.
  void abandon();
  // Returns the size in bytes that the file has after the next flush. If the size on the disk
  // differs then, another program has written to the file.
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

// The content of a CSV file. A header contains no frames.
struct CsvTable {
  std::vector<Column> columns;
  std::vector<double> values;  // [rows][columns]
};
// Reads a CSV file in the format of CsvFile. Throws Error with the line for any other content. If
// whole is false, as after a run that was killed, ignores a last line without a line end, because
// it may be part of a row.
CsvTable read_csv(const std::filesystem::path& path, bool whole = true);

// Reads a CSV table of any origin: rows of equal length, separated by commas, with or without a
// first line of names. Throws Error with the line for any other content.
std::vector<std::vector<double>> read_csv_rows(const std::filesystem::path& path);

}  // namespace torsor
