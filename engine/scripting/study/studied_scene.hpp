#pragma once
// A scene of which samples are run: its nominal run, the workers that run samples, and the
// description of both.

#include <limits>

#include "torsor/scripting/study/study_scene.hpp"
#include "torsor/study/table/study_table.hpp"
#include "torsor/study/workers/workers.hpp"

namespace torsor {

struct StudiedSceneRequest {
  StudySceneRequest scene;
  StudySettings options = {};  // other settings that change the runs: "--dt" = "0.001"
  double limit = std::numeric_limits<double>::infinity();  // wall time of a sample, s
};

// The description of a study has the value of a parameter NAME that does not vary as "--set NAME".
inline constexpr std::string_view set_prefix = "--set ";

class StudiedScene {
 public:
  // Loads the scene with nominal values. Throws Error if it cannot be loaded.
  explicit StudiedScene(StudiedSceneRequest request);

  const StudiedSceneRequest& request() const { return request_; }
  const StudySceneLoader& loader() const { return loader_; }
  const std::vector<StudyParameter>& parameters() const { return nominal_.parameters; }

  // Returns the description of a study of this scene. plan: its samples as a JSON object
  // (study_description.hpp).
  std::string describe(const std::string& plan) const;
  // Makes a run with nominal values, and returns its outcomes: the columns of a table. Throws Error
  // if it fails, and Stopped if it was interrupted.
  std::vector<StudyColumn> outcomes() const;

  // Returns a function that makes workers. Each worker runs samples in the calling thread, or in a
  // process of its own if there are binary plugins that are not part of Torsor. The scene and the
  // samples must outlive the workers. stop: ends the samples when it becomes true.
  std::function<RunSample()> workers(const StudySamples& samples,
                                     const std::atomic<bool>& stop) const;

 private:
  SampleRunner runner(const std::atomic<bool>* stop) const;

  StudiedSceneRequest request_;
  StudySceneLoader loader_;
  std::vector<std::filesystem::path> files_;
  StudyScene nominal_;
};

// Opens a table to continue it. Throws Error if it has another description or shard: other samples,
// or a scene or a plugin that has changed since.
StudyTable continued_table(const std::filesystem::path& path, const std::string& description,
                           const Shard& shard = {});
// Throws Error if a table with this layout cannot be continued. name: the table.
void require_same_study(const StudyLayout& layout, const std::string& description,
                        const Shard& shard, const std::string& name);

}  // namespace torsor
