#include "torsor/simulation/recording.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "torsor/model/input_file.hpp"
#include "torsor/simulation/csv_file.hpp"
#include "torsor/simulation/hdf5_file.hpp"
#include "torsor/simulation/json_text.hpp"
#include "torsor/simulation/output_file.hpp"

namespace torsor {

namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

fs::path side_file(fs::path csv) {
  return csv.replace_extension(".json");
}

bool is_hdf5(const fs::path& path) {
  if (path.extension() == ".h5") return true;
  if (path.extension() == ".csv") return false;
  throw Error(fmt::format("'{}' is not the name of a recording, which ends in .h5 or .csv", path.string()));
}

// Writes rows into a CSV file. The JSON file exists before the first row, so that no unfinished recording looks complete.
class CsvRecording : public RecordingFile {
 public:
  CsvRecording(const fs::path& path, const std::vector<Column>& columns, const std::string& description)
      : side_(side_file(path)) {
    write_file(side_, description);
    try {
      csv_.emplace(path, columns);
    } catch (const Error&) {
      std::error_code ignored;
      fs::remove(side_, ignored);
      throw;
    }
  }
  void write(std::span<const double> row) override { csv_->write(row); }
  void flush() override { csv_->flush(); }
  void close(const std::string& description) override {
    csv_->close();
    write_file(side_, description);
  }

 private:
  fs::path side_;
  std::optional<CsvFile> csv_;
};

// Adds the signals and frames of the JSON file, which must have the same columns.
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
    throw Error("its columns are not those of the CSV file next to it: the two are from different runs");
}

// Reads the parts of a description that every recording has. name: the description in messages.
// Throws Error if a part is missing or of another type.
void understand(const Json& json, const std::string& name, bool is_csv, Recording& recording) {
  try {
    if (is_csv) add_side_file(json, recording);
    if (!json.at("complete").get<bool>()) recording.error = json.at("error").get<std::string>();
  } catch (const Json::exception&) {
    throw Error(fmt::format(
        "{}: this is not the description of a recording: {}", name,
        is_csv ? "'complete', 'error', 'columns' or 'experiment.record' is missing or damaged; restore "
                 "the file, or remove it to read the rows alone"
               : "'complete' or 'error' is missing or damaged; record the run again"));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", name, error.what()));
  }
}

bool says_it_is_cut(const std::string& description) {
  const Json json = Json::parse(description, nullptr, false);
  return json.is_object() && json.contains("complete") && json["complete"] == false;
}

Recording read_csv_recording(const fs::path& path) {
  const fs::path side = side_file(path);
  const std::string description =
      fs::exists(side) ? read_file(side, InputKind::description,
                                   "give the description that was recorded with the CSV file, or remove it")
                       : "";
  CsvTable table = read_csv(path, !says_it_is_cut(description));
  Recording recording{std::move(table.columns), {}, std::move(table.values), description, ""};
  if (!fs::exists(side)) return recording;
  understand(parse_json(description, side.string()), side.string(), true, recording);
  return recording;
}

}  // namespace

std::unique_ptr<RecordingFile> create_recording(const fs::path& path, const std::vector<Column>& columns,
                                                const std::vector<std::string>& signals,
                                                const std::string& description) {
  if (is_hdf5(path)) return create_hdf5(path, columns, signals, description);
  return std::make_unique<CsvRecording>(path, columns, description);
}

std::vector<fs::path> recording_files(const fs::path& path) {
  if (is_hdf5(path)) return {path};
  return {path, side_file(path)};
}

void require_recording(const fs::path& path) {
  if (path.extension() == ".lua")
    throw Error(
        fmt::format("'{0}' is a script, and this command takes a recording (.h5, .csv): if it is a scene, "
                    "`torsor run {0}` records it",
                    path.string()));
  if (path.extension() == ".urdf")
    throw Error(fmt::format(
        "'{}' is a robot, and this command takes a recording (.h5, .csv), which `torsor run SCENE` writes",
        path.string()));
  if (const std::string why = why_no_file(path); !why.empty())
    throw Error(fmt::format("{}: {}; give a recording (.h5, .csv), which `torsor run SCENE` writes",
                            path.string(), why));
  is_hdf5(path);  // rejects another extension
}

Recording read_recording(const fs::path& path) {
  require_recording(path);
  if (!is_hdf5(path)) return read_csv_recording(path);
  Recording recording = read_hdf5(path);
  const std::string name = path.string() + "/description";  // its dataset, as HDF5's tools write it
  understand(parse_json(recording.description, name), name, false, recording);
  return recording;
}

}  // namespace torsor
