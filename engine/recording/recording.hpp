#pragma once
// A recording on disk: the rows of the recorded signals, and a description of the run as JSON. It
// contains no wall-clock time, so the same experiment produces the same bytes. The extension of the
// file name selects the format:
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

#include "torsor/signals/column.hpp"

namespace torsor {

// A recording to which rows are appended. The functions throw RecordingCut if the disk is full. All
// earlier rows can then be read, including rows that were not flushed. The functions throw
// RecordingLost if another program has changed, replaced or deleted the file.
class RecordingFile {
 public:
  virtual ~RecordingFile() = default;
  virtual void write(std::span<const double> row) = 0;
  // Makes all rows written so far readable, even if the program is killed later.
  virtual void flush() = 0;
  // Closes the file and replaces the initial description. After a RecordingCut, writes as much as
  // possible and does not throw RecordingCut again.
  virtual void close(const std::string& description) = 0;
};

// The time at which a new recording replaces the older one of the same name. A failure before this
// time leaves the older one unchanged.
enum class Replaces {
  at_once,     // when its initial description and space for its first rows are on the disk
  when_closed  // when it is complete
};

// Creates a recording, and its folder if it is missing.
// - columns: the first column is time
// - signals: the signals of the other columns, in the same order (recorder.hpp)
// - description: JSON, UTF-8
//
// Throws Error for another extension or a file that cannot be written. Throws RecordingInUse if
// another program is writing the recording.
std::unique_ptr<RecordingFile> create_recording(const std::filesystem::path& path,
                                                const std::vector<Column>& columns,
                                                const std::vector<std::string>& signals,
                                                const std::string& description,
                                                Replaces when = Replaces::at_once);

// Returns true if the extension of the file name is that of a recording.
bool is_recording(const std::filesystem::path& file);

// Returns the files that make up a recording of this name. Throws Error for another extension.
std::vector<std::filesystem::path> recording_files(const std::filesystem::path& path);

struct Recording {
  std::vector<Column> columns;  // the first column is time
  std::vector<std::string> signals;
  std::vector<double> values;  // [rows][columns]
  // JSON; "" for a CSV file without NAME.json. There are no signals and frames then.
  std::string description;
  // Description of the data that are lost or changed because the file is damaged or was edited, or
  // "".
  std::string damage;
  // The reason why the recording is not complete, or "": the run did not end, or the file is
  // damaged.
  std::string error;

  size_t rows() const { return values.size() / columns.size(); }
};
// Throws Error if the path has another extension, does not exist, or is a folder. Does not read the
// file.
void require_recording(const std::filesystem::path& path);
// Reads a recording. A recording that was not closed, because the program was killed or is still
// running, is read up to its last flush. Omits damaged rows. The description then states that the
// recording is not complete, and why. The rows of a CSV file that was changed after its run are
// read in their present form, and `damage` reports the change. Throws Error if the file is not a
// recording or no part of it can be read.
Recording read_recording(const std::filesystem::path& path);

}  // namespace torsor
