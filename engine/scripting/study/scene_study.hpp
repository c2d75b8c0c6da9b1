#pragma once
// A study of a scene: its samples, its table, and the workers that run it.

#include <limits>

#include "torsor/scripting/study/study_scene.hpp"
#include "torsor/study/table/study_table.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor {

struct SceneStudyRequest {
  StudySceneRequest scene;
  StudySettings options = {};  // other settings that change the runs: "--dt" = "0.001"
  PlanRequest plan = {};
  Shard shard = {};
  double limit = std::numeric_limits<double>::infinity();  // wall time of a sample, s
};

// The description of a study has the value of a parameter NAME that does not vary as "--set NAME".
inline constexpr std::string_view set_prefix = "--set ";

class SceneStudy {
 public:
  // Loads the scene with nominal values, and places the samples. Throws Error if the scene cannot
  // be loaded, if the plan is invalid, or if the shard has no sample.
  explicit SceneStudy(SceneStudyRequest request);

  const SceneStudyRequest& request() const { return request_; }
  const StudySceneLoader& loader() const { return loader_; }
  const Plan& plan() const { return plan_; }

  // Returns the layout of the table. Makes a run with nominal values, whose outcomes are the
  // columns. Returns nullopt if it was interrupted. Throws Error if it fails.
  std::optional<StudyLayout> make_layout() const;
  // Opens a table to continue it. Throws Error if it has other samples, or if the scene or a plugin
  // has changed since.
  StudyTable continued(const std::filesystem::path& path) const;
  // Throws Error if the layout is that of a table which this study cannot continue.
  void require_same(const StudyLayout& layout, const std::string& name) const;

  // Returns a function that makes workers. Each worker runs samples in the calling thread, or in a
  // process of its own if there are binary plugins that are not part of Torsor. The study and the
  // samples must outlive the workers. stop: ends the samples when it becomes true.
  std::function<RunSample()> workers(const StudySamples& samples,
                                     const std::atomic<bool>& stop) const;

 private:
  SampleRunner runner(const std::atomic<bool>* stop) const;

  SceneStudyRequest request_;
  StudySceneLoader loader_;
  std::vector<std::filesystem::path> files_;
  StudyScene nominal_;
  Plan plan_;
  std::string description_;
};

}  // namespace torsor
