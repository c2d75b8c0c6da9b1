#pragma once

#include "torsor/host/file_watch.hpp"
#include "torsor/host/registry.hpp"

namespace torsor {

// Watches the files of a scene and its plugins, so that the owner can reload the scene when they
// change.
class SceneWatch {
 public:
  using Files = std::vector<std::filesystem::path>;

  // Starts watching after a load that began at `since`. read: the files that the scene tried to
  // read (Script::files()). plugins: Registry::files() of its plugins, loaded or not. After a
  // failed load, the previous files are watched as well. Returns whether no file has changed since
  // the load began. Files that have changed are reported by changed().
  bool watch(const Files& read, const Files& plugins, bool succeeded, FileWatch::Time since);

  // Returns all files that have changed since the last successful load, or none if no further file
  // has changed. plugins: the plugins at the time of the last load, or null. A plugin folder counts
  // as changed only if its plugins have changed. A call shortly after the previous check costs
  // almost nothing.
  Files changed(const Registry* plugins);
  const Files& stale() const { return stale_; }  // the changed files, without a new check
  // Clears the list. Call this if the changed files match the loaded scene after all.
  void forget_stale() { stale_.clear(); }
  bool plugins_alone_are_stale() const;
  bool scene_alone_is_stale() const;

  const Files& scene() const { return scene_; }  // files of the scene without its plugins

 private:
  Files scene_, plugins_, stale_;
  FileWatch watch_;
};

std::string quoted(const SceneWatch::Files& files);  // "'a.lua', 'b.so'"

}  // namespace torsor
