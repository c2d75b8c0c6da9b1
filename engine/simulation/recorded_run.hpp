#pragma once
// A run that writes its recording: OUT/SCENE.csv and OUT/SCENE.json.

#include "torsor/simulation/recording.hpp"

namespace torsor {

// Where the recording of a scene goes. Throws Error where it would replace the scene.
struct RecordingFiles {
  std::filesystem::path csv, json;
  RecordingFiles(const std::filesystem::path& folder, const std::filesystem::path& scene);
};

class RecordedRun {
 public:
  // Opens the files. The side file is there before the first row, and says that the run is not complete: whatever ends the
  // program, no recording looks whole that is not. Throws Error as Run, RecordingFiles and CsvFile.
  RecordedRun(Experiment experiment, const SolverSource& make_solver, SolverIdentifier identify,
              const std::filesystem::path& scene, const std::filesystem::path& folder,
              std::vector<Change> changes = {});

  Run& run() { return run_; }
  const RecordingFiles& files() const { return files_; }

  // Steps to the end and says in the side file how it went. Returns false where progress stopped it; throws Error as
  // Run::execute and where the disk takes no more: every row before it has been written.
  bool execute(const std::function<bool(const Simulation&)>& progress);

 private:
  void write_side_file(const std::string& error);

  Experiment experiment_;
  SolverIdentifier identify_;
  std::string scene_;
  std::vector<Change> changes_;
  Run run_;
  RecordingFiles files_;
  std::optional<CsvFile> csv_;
};

}  // namespace torsor
