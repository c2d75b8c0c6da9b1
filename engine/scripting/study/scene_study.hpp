#pragma once
// A study of a scene: its samples, its table, and the workers that run it.

#include <chrono>
#include <functional>

#include "torsor/scripting/study/studied_scene.hpp"

namespace torsor {

struct SceneStudyRequest {
  StudiedSceneRequest scene;
  PlanRequest plan = {};
  Shard shard = {};
};

// How the samples of a table are run.
struct TableRun {
  unsigned jobs = 1;  // number of workers
  // Path of the table, for the fault reports of workers in this process. "": none.
  std::string table = {};
  // Called repeatedly in the calling thread. Returns false to end the run.
  std::function<bool(TableQueue&)> watch = {};
  std::chrono::microseconds watch_interval = std::chrono::milliseconds(50);
};

// Returns the number of workers that a table can use, at most `jobs`.
unsigned useful_jobs(const StudyTable& table, unsigned jobs);

class SceneStudy {
 public:
  // Loads the scene with nominal values, and places the samples. Throws Error if the scene cannot
  // be loaded, if the plan is invalid, or if the shard has no sample.
  explicit SceneStudy(SceneStudyRequest request);

  const StudiedScene& scene() const { return scene_; }
  const Plan& plan() const { return plan_; }

  // Returns the layout of the table. Makes a run with nominal values, whose outcomes are the
  // columns. Throws Error if it fails, and Stopped if it was interrupted.
  StudyLayout make_layout() const;
  // Opens a table to continue it. Throws Error if it has other samples, or if the scene or a plugin
  // has changed since.
  StudyTable continued(const std::filesystem::path& path) const;
  // Throws Error if the layout is that of a table which this study cannot continue.
  void require_same(const StudyLayout& layout, const std::string& name) const;

  // Runs the samples that have no result. Returns the numbers of new results. Throws Error if a row
  // cannot be written or no worker can be created.
  StatusCounts run(StudyTable& table, const TableRun& how) const;

 private:
  Shard shard_;
  StudiedScene scene_;
  Plan plan_;
  std::string description_;
};

}  // namespace torsor
