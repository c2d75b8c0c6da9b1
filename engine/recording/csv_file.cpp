#include "torsor/recording/csv_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "torsor/base/error.hpp"
#include "torsor/base/input_file.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/recording/csv_fields.hpp"

namespace torsor {

namespace {

Column column_of(const std::string& field, const std::string& where) {
  const size_t bracket = field.rfind(" [");
  if (field.find("];") != field.npos)
    throw Error(
        fmt::format("{}: the header has semicolons; separate the columns with commas", where));
  if (bracket == std::string::npos || field.back() != ']')
    throw Error(
        fmt::format("{}: the header field '{}' is not 'name [unit]'; {}", where, quotable(field),
                    field.find(';') != field.npos
                        ? "separate the columns with commas"
                        : "write the name and the unit, as in 't [s]' or 'arm.q.joint1 [rad]'"));
  if (!is_plain_text(field))
    throw Error(
        fmt::format("{}: the header field '{}' has characters that a name cannot have; use UTF-8 "
                    "without control characters",
                    where, quotable(field)));
  return {field.substr(0, bracket), field.substr(bracket + 2, field.size() - bracket - 3), ""};
}

// Appends the numbers of a line to values. last_line: whether the line is the last one, which may
// be incomplete. Throws Error if the line is not a row of `count` numbers.
void read_row(const std::string& line, size_t count, const std::string& where, bool last_line,
              std::vector<double>& values) {
  const char *at = line.data(), *const end = at + line.size();
  for (size_t k = 0; k < count; ++k) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    const bool last = k + 1 == count;
    if (error != std::errc() || (last ? stop != end : stop == end || *stop != ','))
      throw Error(fmt::format(
          "{}: this is not a row of {}{}{}", where, counted(count, "number"),
          count > 1 ? " separated by commas" : "",
          last_line ? "; if it is the last line of a run that was killed, remove it" : ""));
    values.push_back(value);
    at = stop + 1;
  }
}

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& path, const std::vector<Column>& columns,
                 const std::filesystem::path& shown)
    : path_(shown.empty() ? path : shown) {
  make_folder(path.parent_path());
  // Opens the file in append mode. If another program truncates the file during the run, later rows
  // then leave no gap.
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) cannot_write(path_, std::strerror(errno));
  file_.reset(fdopen(file, "a"));
  if (!file_) cannot_write(path_, std::strerror(errno));
  std::string header;
  for (const Column& column : columns) {
    if (!header.empty()) header.push_back(',');
    header += csv_field(fmt::format("{} [{}]", column.name, column.unit));
  }
  header.push_back('\n');
  put(header);
}

void CsvFile::put(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size())
    cannot_write(path_, std::strerror(errno));
  size_ += text.size();
}

void CsvFile::write(std::span<const double> row) {
  fmt::memory_buffer line;
  for (const double value : row)
    fmt::format_to(std::back_inserter(line), "{}{}", line.size() ? "," : "", value);
  line.push_back('\n');
  put(fmt::to_string(line));
}

void CsvFile::flush() {
  if (std::fflush(file_.get()) != 0) cannot_write(path_, std::strerror(errno));
}

void CsvFile::close() {
  if (file_ && std::fclose(file_.release()) != 0) cannot_write(path_, std::strerror(errno));
}

void CsvFile::abandon() {
  __fpurge(file_.get());
  file_.reset();
}

namespace {

// Removes the byte order mark that spreadsheets write at the start of a UTF-8 file.
void remove_mark(std::string& first_line) {
  if (first_line.starts_with("\xef\xbb\xbf")) first_line.erase(0, 3);
}

// Limits the memory for the column names, which take more memory than the header line.
constexpr size_t most_columns = 100'000;

size_t count_fields(const std::string& line, const std::string& where) {
  const size_t count = size_t(std::ranges::count(line, ',')) + 1;
  if (count > most_columns)
    throw Error(
        fmt::format("{}: this line has {} fields, more than the limit of {} columns; put each row "
                    "on a line of its own",
                    where, count, most_columns));
  return count;
}

}  // namespace

CsvTable read_csv(const std::filesystem::path& path, bool whole) {
  InputLines in(path, InputKind::recording, "give a CSV file");
  std::string line;
  if (!in.next(line))
    throw Error(fmt::format(
        "{}: the file is empty; a CSV file begins with the names of its columns", path.string()));
  remove_mark(line);
  CsvTable table;
  const std::string first = fmt::format("{}:1", path.string());
  count_fields(line, first);
  for (const std::string& field : csv_fields(line))
    table.columns.push_back(column_of(field, first));
  for (int number = 2; in.next(line) && (whole || in.is_complete()); ++number)
    read_row(line, table.columns.size(), fmt::format("{}:{}", path.string(), number), in.at_end(),
             table.values);
  return table;
}

namespace {

// Memory of a row in addition to its numbers, in bytes: the vector object, the heap block and the
// spare capacity of the list.
constexpr double bytes_per_row = 100;
constexpr size_t most_rows = 2'000'000;

// Returns the numbers of a line, or nullopt if one of its fields is not a finite number.
std::optional<std::vector<double>> numbers_of(const std::string& line) {
  std::vector<double> out;
  for (const std::string& field : csv_fields(line)) {
    const size_t first = field.find_first_not_of(" \t"), last = field.find_last_not_of(" \t");
    if (first == std::string::npos || last == std::string::npos) return std::nullopt;
    double value = 0;
    const char* const end = field.data() + last + 1;
    const auto [stop, error] = std::from_chars(field.data() + first, end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
    out.push_back(value);
  }
  return out;
}

}  // namespace

std::vector<std::vector<double>> read_csv_rows(const std::filesystem::path& path) {
  InputLines in(path, InputKind::table, "give a CSV file of rows of numbers");
  std::string line;
  if (!in.next(line))
    throw Error(
        fmt::format("{}: the file is empty; give a CSV file of rows of numbers", path.string()));
  remove_mark(line);
  std::vector<std::vector<double>> rows;
  const std::string what = fmt::format("the rows of {}", path.string());
  int number = 1;
  do {
    const std::string where = fmt::format("{}:{}", path.string(), number);
    const double fields = double(count_fields(line, where));
    auto row = numbers_of(line);
    if (!row && number == 1) continue;  // the line of column names
    if (!row)
      throw Error(
          fmt::format("{}: this is not a row of finite numbers separated by commas", where));
    if (!rows.empty() && row->size() != rows.front().size())
      throw Error(fmt::format("{}: this row has {}, the first has {}", where,
                              counted(row->size(), "number"), rows.front().size()));
    if (rows.size() == most_rows)
      throw Error(fmt::format("{}: the table has more than {} rows, the limit; give fewer rows",
                              where, most_rows));
    reserve_memory(what, bytes_per_row + fields * sizeof(double));
    rows.push_back(std::move(*row));
  } while (++number, in.next(line));
  return rows;
}

}  // namespace torsor
