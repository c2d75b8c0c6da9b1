#include "torsor/recording/recording.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "torsor/base/input_file.hpp"
#include "torsor/base/json_text.hpp"
#include "torsor/base/output_file.hpp"
#include "torsor/base/text.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/recording/checksum.hpp"
#include "torsor/recording/csv_file.hpp"
#include "torsor/recording/hdf5_file.hpp"
#include "torsor/recording/recording_lock.hpp"

namespace torsor {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

// Returns the path of the JSON description of a CSV recording. If the CSV path is a symbolic link,
// the description is next to the target of the link, unless it exists only next to the link itself.
fs::path side_file(const fs::path& csv) {
  const fs::path near_link = fs::path(csv).replace_extension(".json"),
                 near_target = without_links(csv).replace_extension(".json");
  std::error_code failed;
  return fs::exists(near_link, failed) && !fs::exists(near_target, failed) ? near_link
                                                                           : near_target;
}

// Renames an existing file to FILE.older for the lifetime of this object. The destructor restores
// the name unless drop() has removed the file.
class Aside {
 public:
  explicit Aside(const fs::path& file) : file_(file), older_(file) {
    older_ += ".older";
    std::error_code failed;
    if (!fs::exists(fs::symlink_status(file, failed))) return;
    fs::rename(file, older_, failed);
    if (failed) cannot_write(file, failed.message());
    is_aside_ = true;
  }
  ~Aside() {
    std::error_code ignored;
    if (is_aside_) fs::rename(older_, file_, ignored);
  }
  Aside(const Aside&) = delete;
  void drop() {
    std::error_code ignored;
    fs::remove(older_, ignored);
    is_aside_ = false;
  }

 private:
  fs::path file_, older_;
  bool is_aside_ = false;
};

bool is_hdf5(const fs::path& path) {
  if (path.extension() == ".h5") return true;
  if (path.extension() == ".csv") return false;
  throw Error(
      fmt::format("'{}' is not the name of a recording, which ends in .h5 or .csv", path.string()));
}

// The number of rows of a CSV file and the CRC-32 of their values, as written by the run. The CRC
// covers values and not text, because a spreadsheet may save the same value with another text.
struct CsvRows {
  size_t count = 0;
  uint32_t checksum = 0;

  void add(std::span<const double> row) {
    std::vector<double> values(row.begin(), row.end());
    for (double& value : values)
      // The CSV text of a NaN does not contain its payload bits.
      if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    checksum = torsor::checksum(checksum, values);
    ++count;
  }
  bool operator==(const CsvRows&) const = default;
};

// csv_member: key of the CsvRows in a description. before_csv_member: the text from the end of the
// preceding member to the content of the CsvRows.
constexpr const char *csv_member = "csv", *before_csv_member = ",\n \"csv\": {";

// Adds the row count and checksum to a description, which is a JSON object.
std::string with_csv_rows(std::string description, const CsvRows& rows) {
  const size_t end = description.rfind('}');
  const size_t last = end == description.npos ? end : description.find_last_not_of(" \n", end - 1);
  if (last == description.npos) return description;
  description.erase(last + 1);
  return description + fmt::format("{}\"rows\": {}, \"crc32\": \"{:08x}\"}}\n}}\n",
                                   before_csv_member, rows.count, rows.checksum);
}

// Removes the row count and checksum. The description of a run is then the same in every format.
std::string without_csv_rows(std::string description) {
  const size_t start = description.rfind(before_csv_member);
  if (start != description.npos && description.find('}', start) == description.rfind('}') - 2)
    return description.erase(start) + "\n}\n";
  // Another program has reformatted the description, so its JSON is parsed.
  auto json = nlohmann::ordered_json::parse(description);
  json.erase(csv_member);
  return json.dump(1) + "\n";
}

// A writer of CSV recordings, which consist of a CSV file and a JSON file. While these replace an
// older pair, no JSON file exists. If the program is killed at this time, the rows have no
// description, but never the description of another run. After an error, the older pair is
// restored. Disk space for the next rows and the final description is allocated before rows are
// written. A full disk therefore loses no row that was written.
class CsvRecording : public RecordingFile {
 public:
  CsvRecording(const fs::path& path, const std::vector<Column>& columns,
               const std::string& description, Replaces when)
      : path_(path),
        new_(path),
        side_(side_file(path)),
        row_bytes_(longest_number * columns.size()),
        description_bytes_(2 * description.size() + description_growth) {
    require_writable(side_);
    attempt([&] {
      if (const int error = reserve_rows(0)) cannot_write(path_, std::strerror(error));
      csv_.emplace(new_.part(), columns, path);
      csv_->flush();
      if (when == Replaces::at_once) take_place(description);
    });
  }
  void write(std::span<const double> row) override {
    attempt([&] {
      if (csv_->size() + row_bytes_ > reserved_) make_room();
      csv_->write(row);
    });
    rows_.add(row);
    last_time_ = row[0];
  }
  void flush() override {
    if (is_lost_) return;
    attempt([&] { csv_->flush(); });
    flushed_rows_ = rows_.count;
    flushed_time_ = last_time_;
    if (size_t(new_.lock().size()) == csv_->size()) return;
    is_lost_ = true;
    csv_->abandon();
    throw RecordingLost(
        fmt::format("another program changed '{}' while it was written: its {} are damaged; write "
                    "it again",
                    path_.string(), counted(rows_.count, "row")));
  }
  void close(const std::string& description) override {
    if (is_failed_) return close_failed(description);
    flush();
    if (is_lost_) return;
    csv_->close();
    give_back_room();
    new_.lock().require_in_place(rows_.count);
    if (new_.has_place())
      write_file(side_, with_csv_rows(description, rows_));
    else
      take_place(with_csv_rows(description, rows_));
  }

 private:
  static constexpr size_t longest_number = 25;  // "-2.2250738585072014e-308,"
  static constexpr size_t large_block = 1 << 20, block_bytes = 16384, description_growth = 16384;

  // Allocates disk space for the next rows of a file of `size` bytes. Uses a large block if the
  // file is large and the disk has space, because deleting a file of many small blocks takes
  // seconds. Returns 0 or the error of reserve_room().
  int reserve_rows(size_t size) {
    int error = 0;
    for (const size_t block : {std::min(large_block, size), block_bytes}) {
      reserved_ = size + std::max({block, block_bytes, 2 * row_bytes_});
      error = reserve_room(new_.lock().descriptor(), reserved_ + description_bytes_);
      if (error == 0) break;
    }
    return error;
  }
  // Allocates disk space for more rows. If there is none, flushes all earlier rows to the file and
  // throws Error.
  void make_room() {
    const int error = reserve_rows(csv_->size());
    if (error == 0) return;
    flush();
    cannot_write(path_, std::strerror(error));
  }
  // Replaces the older CSV file and its description. If this fails, restores the older pair and
  // throws Error.
  void take_place(const std::string& description) {
    OutputFile side(side_);
    side.write(description);
    side.flush();
    Aside older(side_);
    new_.take_place([&] { side.commit(); });
    older.drop();
  }
  void give_back_room() {
    // If this fails, the file only takes more space than it needs.
    (void)!ftruncate(new_.lock().descriptor(), new_.lock().size());
  }
  template <class Work>
  void attempt(Work work) {
    try {
      work();
    } catch (const RecordingLost&) {
      throw;
    } catch (const Error& error) {
      is_failed_ = true;
      new_.fail(error.what(), flushed_rows_, flushed_time_);
    }
  }
  // Writes the description, which contains the reason of the failure, if the disk has space for it.
  // Does not throw, because the failure has already been reported.
  void close_failed(const std::string& description) {
    csv_->abandon();
    give_back_room();
    try {
      write_file(side_, description);
    } catch (const Error&) {
    }
  }

  fs::path path_;
  NewRecording new_;
  fs::path side_;
  // Maximum numbers of bytes of a row and of the description.
  size_t row_bytes_, description_bytes_;
  size_t reserved_ = 0;  // number of bytes allocated for rows
  std::optional<CsvFile> csv_;
  CsvRows rows_;
  double last_time_ = 0;
  size_t flushed_rows_ = 0;
  double flushed_time_ = 0;  // time of the last flushed row, s
  bool is_failed_ = false;   // true: writing failed, for example because the disk is full
  bool is_lost_ = false;     // true: another program has changed the file
};

// Adds the signals and frames from the JSON file to the recording. Throws Error if the columns of
// the two files differ.
void add_side_file(const Json& json, Recording& recording) {
  recording.signals = json.at("experiment").at("record").get<std::vector<std::string>>();
  const Json& columns = json.at("columns");
  bool same = columns.size() == recording.columns.size();
  for (size_t k = 0; same && k < columns.size(); ++k) {
    Column& column = recording.columns[k];
    same = columns[k].at("name") == column.name && columns[k].at("unit") == column.unit;
    column.frame = columns[k].value("frame", "");
  }
  if (!same)
    throw Error(
        "its columns are not those of the CSV file next to it: the two are from different runs");
}

// Compares the rows with the checksum of the rows that the run wrote, and reports a difference in
// Recording::damage. Keeps all rows, because a CSV file may be edited on purpose.
void check_rows(const Json& json, Recording& recording) {
  if (!json.contains(csv_member)) return;
  CsvRows written, present;
  written.count = json[csv_member].at("rows").get<size_t>();
  const std::string digits = json[csv_member].at("crc32").get<std::string>();
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), written.checksum, 16);
  if (error != std::errc() || end != digits.data() + digits.size())
    throw Error("'csv.crc32' is damaged");
  const size_t width = recording.columns.size();
  for (size_t k = 0; k < recording.rows(); ++k)
    present.add(std::span(recording.values).subspan(k * width, width));
  if (present == written) return;
  recording.damage = present.count == written.count
                         ? "its numbers were changed after the run"
                         : fmt::format("it has {} where the run wrote {}",
                                       counted(present.count, "row"), written.count);
}

// Reads the parts of a description that are common to all recordings. name: the name of the
// description in messages. Throws Error if a part is missing or has another type.
void parse_description(const Json& json, const std::string& name, bool is_csv,
                       Recording& recording) {
  try {
    if (is_csv) add_side_file(json, recording);
    if (is_csv) check_rows(json, recording);
    if (!json.at("complete").get<bool>()) recording.error = json.at("error").get<std::string>();
  } catch (const Json::exception&) {
    throw Error(fmt::format(
        "{}: this is not the description of a recording: {}", name,
        is_csv
            ? "'complete', 'error', 'columns', 'csv' or 'experiment.record' is missing or damaged; "
              "restore the file, or remove it to read the rows alone"
            : "'complete' or 'error' is missing or damaged; record the run again"));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

// Adds the damage to Recording::error. Also changes the description, because it may be written to
// another file.
void report_damage(Recording& recording) {
  if (recording.damage.empty()) return;
  recording.error +=
      (recording.error.empty() ? "" : "; ") + ("the file is damaged: " + recording.damage);
  auto json = nlohmann::ordered_json::parse(recording.description);
  json["complete"] = false;
  json["error"] = recording.error;
  recording.description = json.dump(1) + "\n";
}

bool is_marked_incomplete(const std::string& description) {
  const Json json = Json::parse(description, nullptr, false);
  return json.is_object() && json.contains("complete") && json["complete"] == false;
}

// Reads the description of a CSV recording.
std::string text_of(const fs::path& side) {
  return read_file(side, InputKind::description,
                   "give the description that was recorded with the CSV file, or remove it");
}

Recording read_csv_recording(const fs::path& path) {
  const fs::path side = side_file(path);
  const std::string description = fs::exists(side) ? text_of(side) : "";
  CsvTable table = read_csv(path, !is_marked_incomplete(description));
  Recording recording;
  recording.columns = std::move(table.columns);
  recording.values = std::move(table.values);
  recording.description = description;
  if (!fs::exists(side)) return recording;
  const Json json = parse_json(description, side.string());
  parse_description(json, side.string(), true, recording);
  if (json.contains(csv_member)) recording.description = without_csv_rows(description);
  return recording;
}

// Returns the name of the scene in a recording that another program is writing. Returns "" if the
// file is not a recording yet.
std::string scene_of(const fs::path& path) {
  try {
    const Json json =
        Json::parse(is_hdf5(path) ? read_hdf5_description(path) : text_of(side_file(path)));
    return json.at("scene").get<std::string>();
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace

std::unique_ptr<RecordingFile> create_recording(const fs::path& path,
                                                const std::vector<Column>& columns,
                                                const std::vector<std::string>& signals,
                                                const std::string& description, Replaces when) {
  try {
    if (is_hdf5(path)) return create_hdf5(path, columns, signals, description, when);
    return std::make_unique<CsvRecording>(path, columns, description, when);
  } catch (const RecordingInUse& other) {
    throw RecordingInUse(other.shown, other.file, other.process, other.since, scene_of(other.file));
  }
}

bool is_recording(const fs::path& file) {
  return file.extension() == ".h5" || file.extension() == ".csv";
}

std::vector<fs::path> recording_files(const fs::path& path) {
  if (is_hdf5(path)) return {path};
  return {path, side_file(path)};
}

void require_recording(const fs::path& path) {
  if (is_script(path))
    throw Error(fmt::format(
        "'{0}' is a script, and this command takes a recording (.h5, .csv): if it is a scene, "
        "`torsor run {0}` records it",
        path.string()));
  if (robot_format(path))
    throw Error(
        fmt::format("'{}' is a robot, and this command takes a recording (.h5, .csv), which "
                    "`torsor run SCENE` writes",
                    path.string()));
  if (const std::string why = why_no_file(path); !why.empty())
    throw Error(fmt::format("{}: {}; give a recording (.h5, .csv), which `torsor run SCENE` writes",
                            path.string(), why));
  is_hdf5(path);  // throws Error for other extensions
}

Recording read_recording(const fs::path& path) {
  require_recording(path);
  Recording recording = is_hdf5(path) ? read_hdf5(path) : read_csv_recording(path);
  if (is_hdf5(path)) {
    // the path of the dataset in HDF5 notation
    const std::string name = path.string() + "/description";
    parse_description(parse_json(recording.description, name), name, false, recording);
  }
  report_damage(recording);
  return recording;
}

}  // namespace torsor
