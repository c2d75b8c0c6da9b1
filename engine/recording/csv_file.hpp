#pragma once
// CSV files with rows of numbers. The header line consists of "name [unit]" fields. Numbers are the
// shortest decimals that read back as the same doubles.

#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include "torsor/signals/column.hpp"

namespace torsor {

class CsvFile {
 public:
  // Creates the file, and its folder if it is missing. shown: the name of the file in messages, or
  // "" to use path. Throws Error if the file cannot be written.
  CsvFile(const std::filesystem::path& path, const std::vector<Column>& columns,
          const std::filesystem::path& shown = "");
  // write(), flush() and close() throw Error if the file system reports an error.
  void write(std::span<const double> row);
  void flush();
  void close();
  // Closes the file without writing buffered rows. Used when another program has changed the file.
  void abandon();
  // Returns the size in bytes that the file must have after the next flush. A different size on the
  // disk means that another program has written to the file.
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

// The content of a CSV file. The columns have no frames, because the header does not contain them.
struct CsvTable {
  std::vector<Column> columns;
  std::vector<double> values;  // [rows][columns]
};
// Reads a CSV file in the format of CsvFile. Throws Error with the line number if the content has
// another format. If `whole` is false, as for a run that was killed, ignores a last line without a
// line end, because it may be an incomplete row.
CsvTable read_csv(const std::filesystem::path& path, bool whole = true);

// Reads a CSV table from any source: rows of equal length, separated by commas, with or without a
// first line of names. Throws Error with the line number if the content has another format.
std::vector<std::vector<double>> read_csv_rows(const std::filesystem::path& path);

}  // namespace torsor
