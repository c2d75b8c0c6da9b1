#pragma once

#include "torsor/host/file_watch.hpp"
#include "torsor/host/registry.hpp"

namespace torsor {

// Tells when the files change that a scene and its plugins were made of, for who loads it again
// then.
class SceneWatch {
 public:
  using Files = std::vector<std::filesystem::path>;

  // After a load that began at this time: what the scene set out to read (Script::files()), and
  // Registry::files() of the plugins that it has, or was to have. Where the load failed, the files
  // before are watched as well. Returns whether all are as they were then; those that are not count
  // as changed.
  bool watch(const Files& read, const Files& plugins, bool succeeded, FileWatch::Time since);

  // All that have changed since the last load that succeeded, where one more has; else none.
  // plugins: as they were when a load last looked, or null; a folder of them in which other files
  // have come or gone has not changed. Costs next to nothing where it is asked too soon to look
  // again.
  Files changed(const Registry* plugins);
  const Files& stale() const { return stale_; }  // these, at any time
  void forget_stale() { stale_.clear(); }        // what is stale is as it was loaded, after all
  bool plugins_alone_are_stale() const;
  bool scene_alone_is_stale() const;

  const Files& scene() const { return scene_; }  // the scene's own

 private:
  Files scene_, plugins_, stale_;
  FileWatch watch_;
};

std::string quoted(const SceneWatch::Files& files);  // "'a.lua', 'b.so'"

}  // namespace torsor
