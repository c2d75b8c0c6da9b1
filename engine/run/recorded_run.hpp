#pragma once
// A run that writes a recording: OUT/SCENE.h5, or OUT/SCENE.csv and OUT/SCENE.json.

#include "torsor/recording/recording.hpp"
#include "torsor/run/describe.hpp"
#include "torsor/run/run.hpp"

namespace torsor {

// A plugin file that was replaced by a new version of the same name during a run.
struct RebuiltPlugin {
  long long step;  // first step with the new version
  std::filesystem::path file;
  std::string sha256;
};

// Returns a message with the scene at its beginning, unless it already names a line of the scene.
std::string at_scene(const std::filesystem::path& scene, const std::string& message);

class RecordedRun {
 public:
  // recording: path of the recording, whose extension selects the format. The file is created
  // before the first row and states that the run is not complete. An unfinished recording therefore
  // never looks complete. Throws Error under the same conditions as Run and create_recording(), and
  // if the recording would replace the scene file.
  RecordedRun(Experiment experiment, SolverIdentifier identify, const std::filesystem::path& scene,
              const std::filesystem::path& recording, std::vector<RebuiltPlugin> rebuilt = {});

  Run& run() { return *run_; }
  const Experiment& experiment() const { return experiment_; }
  const std::filesystem::path& recording() const { return path_; }

  // Continues the same scene after rebuilt plugins were reloaded. Must be called between two steps.
  // The description of the recording will list the plugins. Throws Error under the same conditions
  // as torsor::continue_from() and Run::continue_from(), and if the old or the new experiment has
  // changes. After an error, the run continues with the old plugins.
  void continue_with(Experiment experiment, SolverIdentifier identify,
                     const std::vector<RebuiltPlugin>& rebuilt);

  // Makes execute() end the run as soon as `stop` returns true, even within a step
  // (Simulation::set_stop). The recording then ends with the last complete step.
  void set_stop(std::function<bool()> stop);

  // Makes all steps to the end and writes the result into the description. Flushes the recording at
  // the first row, then at intervals that grow from 10 ms to 1 s. Returns false if `progress` or
  // the function of set_stop() stopped the run. Throws Error under the same conditions as
  // Run::execute(), and RecordingCut if the disk is full. All earlier rows have then been written.
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
