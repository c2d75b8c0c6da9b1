#pragma once
// A recording on disk: the rows of the recorded signals, and the text that says what made them. No wall time is in either, so
// that the same experiment gives the same bytes. The extension of its name chooses the format:
//
//   NAME.h5    HDF5, one file (hdf5_file.hpp)
//   NAME.csv   the rows, with the text in NAME.json beside

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/simulation/recorder.hpp"

namespace torsor {

// A recording that grows row by row. Its functions throw Error where the disk takes no more: what was flushed stays.
class RecordingFile {
 public:
  virtual ~RecordingFile() = default;
  virtual void write(std::span<const double> row) = 0;
  // After it, every row so far can be read whatever becomes of the program.
  virtual void flush() = 0;
  // Ends the file; description takes the place of that which it began with.
  virtual void close(const std::string& description) = 0;
};

// signals: names that the columns after the first, time, belong to, in their order (recorder.hpp). description: JSON, UTF-8.
// Makes the folder where it is missing. Throws Error for another extension and where the file cannot be written.
std::unique_ptr<RecordingFile> create_recording(const std::filesystem::path& path,
                                                const std::vector<Column>& columns,
                                                const std::vector<std::string>& signals,
                                                const std::string& description);

// The files a recording of this name consists of.
std::vector<std::filesystem::path> recording_files(const std::filesystem::path& path);

struct Recording {
  std::vector<Column> columns;  // the first is time
  std::vector<std::string> signals;
  std::vector<double> values;  // [rows][columns]
  std::string
      description;    // JSON; "" for a CSV file without NAME.json, which has no signals and frames either
  std::string error;  // why its run is not complete, or ""

  size_t rows() const { return values.size() / columns.size(); }
};
// Throws Error where the file is none of a recording. One that was never closed, since the program was killed or is still
// running, is read as far as it was flushed.
Recording read_recording(const std::filesystem::path& path);

}  // namespace torsor
