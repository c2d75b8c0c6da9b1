#pragma once
// A scene with its plugins, which can be loaded repeatedly.

#include <functional>

#include "torsor/host/outgoing_files.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene/scene_watch.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::cli {

class SceneFiles {
 public:
  // plugins: the paths of --plugins.
  SceneFiles(std::filesystem::path scene, Overrides overrides,
             std::vector<std::filesystem::path> plugins, Permission permission)
      : scene_(std::move(scene)),
        overrides_(std::move(overrides)),
        plugins_(std::move(plugins)),
        permission_(std::move(permission)) {}

  // Loads the scene from its files and watches them from then on, even if loading fails. Plugins
  // that have not changed stay loaded. Throws Error as Script::load_scene and require_plugins.
  Experiment load();
  // Loads the scene again for a run that continues. Throws Error as load(), and for a file that no
  // longer provides its plugins, because other plugins with the same ids would replace them.
  Experiment reload();

  // Return the files that have changed since the last load, and whether only plugins have changed
  // (SceneWatch).
  SceneWatch::Files changed();
  bool plugins_alone_are_stale() const { return watch_.plugins_alone_are_stale(); }

  // Warns about plugin files that stay in memory although newer ones replaced them.
  void warn_of_stayed();

 private:
  Experiment load(const std::function<Registry()>& find);
  Experiment load(Script& script, std::vector<std::filesystem::path>& read) const;

  std::filesystem::path scene_;
  Overrides overrides_;
  std::vector<std::filesystem::path> plugins_;
  Permission permission_;
  std::optional<Registry> registry_;
  std::shared_ptr<const Registry> loaded_;  // plugins of the last experiment
  SceneWatch watch_;
  OutgoingFiles outgoing_;
};

}  // namespace torsor::cli
