#pragma once
// A loaded file: a scene, a robot or a recording.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"
#include "torsor/run/recorded_run.hpp"

namespace torsor::cli {
struct StudySample;
}

namespace torsor::editor {

struct SessionOptions;

struct SolverChoice {
  std::string id;
  std::string rejection;  // reason why it rejects the scene's model, or ""
};

// The result of loading a file.
struct Scene {
  std::filesystem::path file;
  // How the scene or robot was read. Its file is that of the scene if `file` is a recording.
  std::shared_ptr<const SessionOptions> source;
  Experiment experiment;
  std::vector<SolverChoice> solvers, constraint_solvers;
  long long steps;                     // number of steps in its duration
  std::vector<RebuiltPlugin> rebuilt;  // plugins that were rebuilt during the run
  // The recording whose rows are shown. Its run cannot be edited. Null: the scene is simulated.
  std::shared_ptr<const Recording> recording;
  // The sample of a study that the scene repeats; null: none.
  std::shared_ptr<const cli::StudySample> sample = nullptr;
  // Edits of the recording. In the time line, each edit is at the first row at or after its step.
  std::vector<Change> edits = {};

  // Returns a constraint solver with its default parameters, or with those of the experiment if it
  // is the constraint solver of the experiment. Throws Error if there is none with this id.
  ConstraintSolverChoice constraint_solver(const std::string& id) const;
  const Model& model() const { return *experiment.model; }
  const Registry& plugins() const { return *experiment.plugins; }  // only valid if it has plugins
};

}  // namespace torsor::editor
