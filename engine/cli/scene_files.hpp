#pragma once
// A scene with the plugins that it is loaded with, for who loads it again and again.

#include <functional>

#include "torsor/host/outgoing_files.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene_watch.hpp"
#include "torsor/scripting/script.hpp"

namespace torsor::cli {

class SceneFiles {
 public:
  // plugins: of --plugins.
  SceneFiles(std::filesystem::path scene, Overrides overrides, std::vector<std::filesystem::path> plugins)
      : scene_(std::move(scene)), overrides_(std::move(overrides)), plugins_(std::move(plugins)) {}

  // From the files as they are, which are watched from then on, also where this fails. Plugins that have not changed stay loaded.
  // Throws Error as Script::load_scene and require_plugins.
  Experiment load();
  // The same for a run that goes on. Throws Error also where a file that gave plugins gives none any more: another of their ids would
  // take their place.
  Experiment reload();

  // As SceneWatch's.
  SceneWatch::Files changed();
  bool plugins_alone_are_stale() const { return watch_.plugins_alone_are_stale(); }

  // Says which files of plugins the loader did not let go when others took their place.
  void warn_of_stayed();

 private:
  Experiment load(const std::function<Registry()>& find);
  Experiment load(Script& script, std::vector<std::filesystem::path>& read) const;

  std::filesystem::path scene_;
  Overrides overrides_;
  std::vector<std::filesystem::path> plugins_;
  std::optional<Registry> registry_;
  std::shared_ptr<const Registry> loaded_;  // of the last experiment
  SceneWatch watch_;
  OutgoingFiles outgoing_;
};

}  // namespace torsor::cli
