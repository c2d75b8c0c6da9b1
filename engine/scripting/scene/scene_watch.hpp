#pragma once

#include "torsor/host/file_watch.hpp"
#include "torsor/host/registry.hpp"

namespace torsor {

// Watches the files of a scene and of its plugins. The owner can then reload the scene after a
// change.
class SceneWatch {
 public:
  using Files = std::vector<std::filesystem::path>;

  // Starts watching the files of a load that began at the time `since`. After a failed load, the
  // files of the previous load are watched too. Returns false if a file has changed after `since`.
  // changed() then reports this file. Arguments:
  // - read: the files that the scene tried to read (Script::files()).
  // - plugins: the files of its plugin registry, including skipped ones (Registry::files()).
  bool watch(const Files& read, const Files& plugins, bool succeeded, FileWatch::Time since);

  // Returns all files that have changed since the last successful load. Returns an empty list if
  // nothing has changed since the previous call. A plugin folder counts as changed only if its
  // plugins have changed. A call soon after the previous one is almost free, because the files are
  // not checked again. plugins: the plugins of the last load, or null.
  Files changed(const Registry* plugins);
  const Files& stale() const { return stale_; }  // the changed files found so far
  // Clears the list of changed files. Call this function if the loaded scene matches these files.
  void clear_stale() { stale_.clear(); }
  bool plugins_alone_are_stale() const;
  bool scene_alone_is_stale() const;

  const Files& scene() const { return scene_; }  // files of the scene, without plugin files

 private:
  Files scene_, plugins_, stale_;
  FileWatch watch_;
};

std::string quoted(const SceneWatch::Files& files);  // returns a list such as "'a.lua', 'b.so'"

}  // namespace torsor
