#pragma once
// A scene and its plugins. The scene can be loaded again when files change.

#include <functional>

#include "torsor/host/outgoing_files.hpp"
#include "torsor/host/registry.hpp"
#include "torsor/scripting/scene/scene_watch.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor::cli {

class SceneFiles {
 public:
  // plugins: the values of --plugins.
  SceneFiles(std::filesystem::path scene, Overrides overrides,
             std::vector<std::filesystem::path> plugins, Permission permission)
      : scene_(std::move(scene)),
        overrides_(std::move(overrides)),
        plugins_(std::move(plugins)),
        permission_(std::move(permission)) {}

  // Loads the scene and then watches its files, even if loading fails. Plugins that have not
  // changed are not reloaded. Throws the same errors as Script::load_scene and require_plugins().
  Experiment load();
  // Reloads the scene for a run that continues. Throws the same errors as load(). Also throws Error
  // if a plugin file no longer provides its plugins. Otherwise plugins with the same ids from other
  // files would replace them.
  Experiment reload();

  // changed() returns the files that have changed since the last load. plugins_alone_are_stale()
  // returns true if all of them are plugin files. See SceneWatch.
  SceneWatch::Files changed();
  bool plugins_alone_are_stale() const { return watch_.plugins_alone_are_stale(); }

  // Returns the files that the last load has read: the scene, its modules, its robot files.
  const std::vector<std::filesystem::path>& files() const { return read_; }

  // Warns about replaced plugin files that are still loaded.
  void warn_of_stayed();

 private:
  Experiment load(const std::function<Registry()>& find);
  Experiment load(Script& script, std::vector<std::filesystem::path>& read) const;

  std::filesystem::path scene_;
  std::vector<std::filesystem::path> read_;
  Overrides overrides_;
  std::vector<std::filesystem::path> plugins_;
  Permission permission_;
  std::optional<Registry> registry_;
  std::shared_ptr<const Registry> loaded_;  // plugins of the last loaded experiment
  SceneWatch watch_;
  OutgoingFiles outgoing_;
};

}  // namespace torsor::cli
