#include "torsor/scripting/scene_watch.hpp"

#include <algorithm>

namespace torsor {

namespace {

using Files = SceneWatch::Files;

bool contains(const Files& files, const std::filesystem::path& file) {
  return std::ranges::find(files, file) != files.end();
}

void unite(Files& files, const Files& more) {
  for (const auto& file : more)
    if (!contains(files, file)) files.push_back(file);
}

bool any_of(const Files& files, const Files& known) {
  return std::ranges::any_of(files, [&](const auto& file) { return contains(known, file); });
}

}  // namespace

bool SceneWatch::watch(const Files& read, const Files& plugins, bool succeeded, FileWatch::Time since) {
  if (succeeded) {
    scene_.clear();
    plugins_.clear();
    stale_.clear();
  }
  unite(plugins_, plugins);
  unite(scene_, read);
  std::erase_if(scene_, [&](const auto& file) { return contains(plugins_, file); });
  Files all = scene_;
  unite(all, plugins_);
  return watch_.watch(std::move(all), since);
}

Files SceneWatch::changed() {
  const Files now = watch_.changed();
  unite(stale_, now);
  return now.empty() ? Files() : stale_;
}

bool SceneWatch::plugins_alone_are_stale() const {
  return !any_of(stale_, scene_);
}
bool SceneWatch::scene_alone_is_stale() const {
  return !any_of(stale_, plugins_);
}

}  // namespace torsor
