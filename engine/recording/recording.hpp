#pragma once
// A recording on disk: the rows of the recorded signals, and a description of the run as JSON. It
// contains no wall time, so that the same experiment gives the same bytes. The extension of its
// name chooses the format:
//
//   NAME.h5    HDF5, one file (hdf5_file.hpp)
//   NAME.csv   the rows, with the description in NAME.json. When the file is closed, the
//              description gets a member "csv" with the number of the rows and the checksum of
//              their values
//
// One program writes a recording at a time (recording_lock.hpp). Any number of programs may read it
// meanwhile.

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/signals/recorder.hpp"

namespace torsor {

// A recording that grows row by row. Its functions throw RecordingCut if the disk is full: the rows
// before can be read, also those that were not flushed. They throw RecordingLost if another program
// has changed, replaced or deleted the file.
class RecordingFile {
 public:
  virtual ~RecordingFile() = default;
  virtual void write(std::span<const double> row) = 0;
  // Makes every row so far readable, even if the program is killed later.
  virtual void flush() = 0;
  // Ends the file and replaces its initial description. After a RecordingCut, it does what it can
  // and throws no further one.
  virtual void close(const std::string& description) = 0;
};

// When a new recording replaces the older one of its name. Until then, a failure leaves the older
// one as it is.
enum class Replaces {
  at_once,     // when its initial description, and room for its first rows, are on the disk
  when_closed  // when it is complete
};

// Creates a recording, and its folder if it is missing. signals: names that the columns after the
// first, time, belong to, in their order (recorder.hpp). description: JSON, UTF-8. Throws Error for
// another extension, and if the file cannot be written, and RecordingInUse while another program
// writes it.
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
  // JSON; "" for a CSV file without NAME.json, which has no signals and frames either.
  std::string description;
  std::string damage;  // the part that is lost because a file is damaged, or ""
  std::string error;   // why it is not complete: its run did not end, or the damage; or ""

  size_t rows() const { return values.size() / columns.size(); }
};
// Throws Error if the path cannot be that of a recording: another extension, no file, or a folder.
// Reads nothing.
void require_recording(const std::filesystem::path& path);
// Reads a recording. One that was not closed, because the program was killed or is still running,
// is read up to its last flush. Rows that are damaged are left out; the description then says that
// the recording is not complete, and why. The rows of a CSV file that was changed after its run are
// as they are in the file, and "damage" says so. Throws Error if the file is not a recording or
// nothing of it can be read.
Recording read_recording(const std::filesystem::path& path);

}  // namespace torsor
