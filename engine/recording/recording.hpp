#pragma once
// A recording on disk: the rows of the recorded signals, and a description of the run as JSON. It
// contains no wall time, so that the same experiment has the same bytes. The extension of its name
// selects the format:
//
//   NAME.h5    HDF5, one file (hdf5_file.hpp)
//   NAME.csv   the rows, with the description in NAME.json. When the recording is closed, the
//              description receives a member "csv" with the number of rows and the checksum of
//              their values
//
// Only one program writes a recording at a time (recording_lock.hpp). Any number of programs may
// read it during that time.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor {

// A recording that grows row by row. Its functions throw RecordingCut if the disk is full. All
// earlier rows can then be read, including those that were not flushed. They throw RecordingLost if
// another program has changed, replaced or deleted the file.
class RecordingFile {
 public:
  virtual ~RecordingFile() = default;
  virtual void write(std::span<const double> row) = 0;
  // Makes all rows written so far readable, even if the program is killed later.
  virtual void flush() = 0;
  // Ends the file and replaces its initial description. After a RecordingCut, writes as much as
  // possible and does not throw RecordingCut again.
  virtual void close(const std::string& description) = 0;
};

// The time at which a new recording replaces the older one of its name. Until then, a failure
// leaves the older one unchanged.
enum class Replaces {
  at_once,     // when its initial description and space for its first rows are on the disk
  when_closed  // when it is complete
};

// Creates a recording, and its folder if it is missing.
// columns: the first is time. signals: the signals of the other columns, in their order
// (recorder.hpp). description: JSON, UTF-8.
// Throws Error for another extension or a file that cannot be written, and RecordingInUse while
// another program writes the recording.
std::unique_ptr<RecordingFile> create_recording(const std::filesystem::path& path,
                                                const std::vector<Column>& columns,
                                                const std::vector<std::string>& signals,
                                                const std::string& description,
                                                Replaces when = Replaces::at_once);

// Returns the files that make up a recording of this name. Throws Error for another extension.
std::vector<std::filesystem::path> recording_files(const std::filesystem::path& path);

struct Recording {
  std::vector<Column> columns;  // the first is time
  std::vector<std::string> signals;
  std::vector<double> values;  // [rows][columns]
  // JSON; "" for a CSV file without NAME.json, which then has no signals and frames
  std::string description;
  std::string damage;  // the part that is lost because a file is damaged, or ""
  // The reason why the recording is not complete: its run did not end, or it is damaged; else "".
  std::string error;

  size_t rows() const { return values.size() / columns.size(); }
};
// Throws Error if the path cannot be a recording: another extension, no file, or a folder. Reads
// nothing.
void require_recording(const std::filesystem::path& path);
// Reads a recording. A recording that was not closed, because the program was killed or is still
// running, is read up to its last flush.
// Leaves out damaged rows. The description then states that the recording is not complete, and why.
// The rows of a CSV file that was changed after its run are read as they are, and `damage` reports
// the change.
// Throws Error if the file is not a recording or nothing of it can be read.
Recording read_recording(const std::filesystem::path& path);

}  // namespace torsor
