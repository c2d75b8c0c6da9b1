#pragma once
// A study of a scene: its samples, its table, and the workers that run it.

#include <limits>

#include "torsor/scripting/study/studied_scene.hpp"

namespace torsor {

struct SceneStudyRequest {
  StudySceneRequest scene;
  StudySettings options = {};  // other settings that change the runs: "--dt" = "0.001"
  PlanRequest plan = {};
  Shard shard = {};
  double limit = std::numeric_limits<double>::infinity();  // wall time of a sample, s
};

class SceneStudy {
 public:
  // Loads the scene with nominal values, and places the samples. Throws Error if the scene cannot
  // be loaded, if the plan is invalid, or if the shard has no sample.
  explicit SceneStudy(SceneStudyRequest request);

  const SceneStudyRequest& request() const { return request_; }
  const StudySceneLoader& loader() const { return scene_.loader(); }
  const Plan& plan() const { return plan_; }

  // Returns the layout of the table. Makes a run with nominal values, whose outcomes are the
  // columns. Throws Error if it fails, and Stopped if it was interrupted.
  StudyLayout make_layout() const;
  // Opens a table to continue it. Throws Error if it has other samples, or if the scene or a plugin
  // has changed since.
  StudyTable continued(const std::filesystem::path& path) const;
  // Throws Error if the layout is that of a table which this study cannot continue.
  void require_same(const StudyLayout& layout, const std::string& name) const;

  // Returns a function that makes workers (studied_scene.hpp). The study must outlive them.
  std::function<RunSample()> workers(const StudySamples& samples,
                                     const std::atomic<bool>& stop) const {
    return scene_.workers(samples, stop);
  }

 private:
  SceneStudyRequest request_;
  StudiedScene scene_;
  Plan plan_;
  std::string description_;
};

}  // namespace torsor
