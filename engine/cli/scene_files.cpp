#include "torsor/cli/scene_files.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "torsor/cli/plugin_paths.hpp"
#include "torsor/cli/say.hpp"
#include "torsor/scripting/plugin_script.hpp"
#include "torsor/validation/load_check.hpp"

namespace torsor::cli {

namespace fs = std::filesystem;

namespace {

void check(const fs::path& file) {
  validation::check_reloading(file, load_plugin_script);
}

}  // namespace

Experiment SceneFiles::load() {
  const auto since = FileWatch::Time::clock::now();
  std::vector<fs::path> files = {scene_};
  const auto add = [&](const std::vector<fs::path>& more) {
    files.insert(files.end(), more.begin(), more.end());
  };
  std::error_code ignored;
  for (const fs::path& path : plugins_)
    if (!fs::is_directory(path, ignored)) files.push_back(path);
  try {
    registry_.emplace(registry_ ? registry_->again(stale_, check) : find_plugins(plugins_));
    add(registry_->files());
    require_sound(*registry_, plugins_);
    Script script({.plugins = &*registry_});
    Experiment experiment = [&] {
      try {
        Experiment loaded = script.load_scene(scene_, overrides_);
        add(script.files());
        return loaded;
      } catch (const Error&) {
        add(script.files());
        throw;
      }
    }();
    add(experiment.plugins->files());
    if (loaded_) outgoing_.add(*loaded_, *experiment.plugins);
    loaded_ = experiment.plugins;
    watch(std::move(files), since);
    stale_.clear();
    return experiment;
  } catch (const Error&) {
    add(watched_);  // of the last that went well: it may still run
    watch(std::move(files), since);
    throw;
  }
}

void SceneFiles::watch(std::vector<fs::path> files, FileWatch::Time since) {
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  watched_ = files;
  watch_.watch(std::move(files), since);
}

std::vector<fs::path> SceneFiles::changed() {
  const std::vector<fs::path> now = watch_.changed();
  if (now.empty()) return {};
  for (const fs::path& file : now)
    if (std::ranges::find(stale_, file) == stale_.end()) stale_.push_back(file);
  return stale_;
}

bool SceneFiles::are_plugins(const std::vector<fs::path>& files) const {
  if (!loaded_) return false;
  const std::vector<fs::path> plugins = loaded_->files();
  return std::ranges::all_of(
      files, [&](const fs::path& file) { return std::ranges::find(plugins, file) != plugins.end(); });
}

void SceneFiles::warn_of_stayed() {
  for (const fs::path& file : outgoing_.stayed())
    say(
        fmt::format("warning: '{}' as it was before stays in memory: it has threads, thread-local data with "
                    "destructors, or "
                    "unique symbols; `torsor validate` tells",
                    file.string()));
}

}  // namespace torsor::cli
