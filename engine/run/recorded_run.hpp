#pragma once
// A run that writes its recording: OUT/SCENE.h5, or OUT/SCENE.csv and OUT/SCENE.json.

#include "torsor/recording/recording.hpp"
#include "torsor/run/describe.hpp"

namespace torsor {

// A file of plugins that replaced another of its name during a run.
struct RebuiltPlugin {
  long long step;  // at which the run continued with it
  std::filesystem::path file;
  std::string sha256;
};

class RecordedRun {
 public:
  // recording: its name, whose extension chooses the format. The file exists before the first row,
  // and says that the run is not complete, so that no unfinished recording looks complete. Throws
  // Error as Run and create_recording, and if a file of the recording is the scene.
  RecordedRun(Experiment experiment, SolverIdentifier identify, const std::filesystem::path& scene,
              const std::filesystem::path& recording, std::vector<RebuiltPlugin> rebuilt = {});

  Run& run() { return *run_; }
  const Experiment& experiment() const { return experiment_; }
  const std::filesystem::path& recording() const { return path_; }

  // Continues, between two steps, with the same scene reloaded with rebuilt plugins, which the
  // description will list. Throws Error as go_on_from() and Run::go_on_from, and for an experiment
  // with changes; the run then continues as before.
  void go_on_with(Experiment experiment, SolverIdentifier identify,
                  const std::vector<RebuiltPlugin>& rebuilt);

  // Makes execute() end the run when `stop` returns true, within a step as well
  // (Simulation::set_stop). The recording then ends with the last complete step.
  void set_stop(std::function<bool()> stop);

  // Steps to the end and writes the result into the description. The recording is flushed at the
  // first row, then at intervals that grow from 10 ms to a second. Returns false if progress or
  // set_stop stopped the run. Throws Error as Run::execute, and RecordingCut if the disk is full:
  // all rows before have been written.
  bool execute(const std::function<bool(const Simulation&)>& progress);

 private:
  std::string description(const std::string& error);

  Experiment experiment_;
  SolverIdentifier identify_;
  std::string scene_;
  std::vector<RebuiltPlugin> rebuilt_;
  std::unique_ptr<Run> run_;
  std::function<bool()> stop_;
  std::filesystem::path path_;
  std::unique_ptr<RecordingFile> file_;
};

}  // namespace torsor
