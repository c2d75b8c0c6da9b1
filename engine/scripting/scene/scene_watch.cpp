#include "torsor/scripting/scene/scene_watch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

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

bool SceneWatch::watch(const Files& read, const Files& plugins, bool succeeded,
                       FileWatch::Time since) {
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

Files SceneWatch::changed(const Registry* plugins) {
  const Files now = watch_.changed();
  unite(stale_, now);
  if (now.empty()) return {};
  const auto is_folder = [](const auto& file) {
    std::error_code ignored;
    return std::filesystem::is_directory(file, ignored);
  };
  const auto folders = std::partition(stale_.begin(), stale_.end(), std::not_fn(is_folder));
  if (folders != stale_.begin())  // report the changed files and not the folders that contain them
    stale_.erase(folders, stale_.end());
  else if (plugins && plugins->again({}).sources() == plugins->sources())
    stale_.clear();
  return stale_;
}

std::string quoted(const Files& files) {
  std::string out;
  for (const auto& file : files)
    out += fmt::format("{}'{}'", out.empty() ? "" : ", ", file.string());
  return out;
}

bool SceneWatch::plugins_alone_are_stale() const {
  return !any_of(stale_, scene_);
}
bool SceneWatch::scene_alone_is_stale() const {
  return !any_of(stale_, plugins_);
}

}  // namespace torsor
