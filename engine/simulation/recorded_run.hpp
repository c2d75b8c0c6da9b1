#pragma once
// A run that writes its recording: OUT/SCENE.h5, or OUT/SCENE.csv and OUT/SCENE.json.

#include "torsor/simulation/describe.hpp"
#include "torsor/simulation/recording.hpp"

namespace torsor {

// A file of plugins that took the place of another of its name in a run.
struct RebuiltPlugin {
  long long step;  // at which the run went on with it
  std::filesystem::path file;
  std::string sha256;
};

class RecordedRun {
 public:
  // recording: its name, whose extension chooses the format. It is there before the first row, and says that the run is not
  // complete: whatever ends the program, no recording looks whole that is not. Throws Error as Run and create_recording,
  // and where a file of the recording is the scene.
  RecordedRun(Experiment experiment, const SolverSource& make_solver, SolverIdentifier identify,
              const std::filesystem::path& scene, const std::filesystem::path& recording,
              std::vector<RebuiltPlugin> rebuilt = {});

  Run& run() { return *run_; }
  const Experiment& experiment() const { return experiment_; }
  const std::filesystem::path& recording() const { return path_; }

  // Goes on, between two steps, as an experiment that is the same scene loaded anew: with these files of plugins, rebuilt, which the
  // recording will say. Throws Error as go_on_from() and Run::go_on_from, and of an experiment
  // with changes, and then goes on as before.
  void go_on_with(Experiment experiment, const SolverSource& make_solver, SolverIdentifier identify,
                  const std::vector<RebuiltPlugin>& rebuilt);

  // Steps to the end and says in the recording how it went; what is a second old is on disk. Returns false where progress
  // stopped it; throws Error as Run::execute and where the disk takes no more: every row before it has been written, or with
  // a full disk every row that was flushed.
  bool execute(const std::function<bool(const Simulation&)>& progress);

 private:
  std::string description(const std::string& error);

  Experiment experiment_;
  SolverIdentifier identify_;
  std::string scene_;
  std::vector<RebuiltPlugin> rebuilt_;
  std::unique_ptr<Run> run_;
  std::filesystem::path path_;
  std::unique_ptr<RecordingFile> file_;
};

}  // namespace torsor
