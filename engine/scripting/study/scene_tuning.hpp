#pragma once
// The tuning of a scene: its points, its table, and the workers that run it.

#include "torsor/scripting/study/studied_scene.hpp"
#include "torsor/study/tuning/tuning.hpp"

namespace torsor {

class SceneTuning {
 public:
  // Loads the scene with nominal values. Throws Error if it cannot be loaded, if the request is
  // invalid (TuningSpace), or if a parameter to tune is set to a value.
  SceneTuning(StudiedSceneRequest scene, TuningRequest request);

  const StudiedScene& scene() const { return scene_; }
  const TuningSpace& space() const { return space_; }

  // Returns the layout of the table. Makes a run with nominal values, whose outcomes are the
  // columns. Throws Error if it fails or has no such outcome, and Stopped if it was interrupted.
  StudyLayout make_layout() const;
  // Opens a table to continue it. Throws Error if it has other points, or if the scene or a plugin
  // has changed since.
  StudyTable continued(const std::filesystem::path& path) const;

 private:
  StudiedScene scene_;
  TuningSpace space_;
  std::string description_;
};

}  // namespace torsor
