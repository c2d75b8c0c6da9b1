#include "torsor/cli/support/scene_files.hpp"

#include "torsor/base/print_message.hpp"
#include "torsor/cli/options/plugin_paths.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/plugin_script.hpp"

namespace torsor::cli {

namespace fs = std::filesystem;

Experiment SceneFiles::load() {
  return load(
      [&] { return registry_ ? registry_->again(watch_.stale()) : find_plugins(plugins_); });
}

Experiment SceneFiles::reload() {
  return load([&] {
    Registry now = registry_->again(watch_.stale());
    now.require_files_of(*registry_);
    return now;
  });
}

Experiment SceneFiles::load(const std::function<Registry()>& find) {
  const auto since = FileWatch::Time::clock::now();
  std::vector<fs::path> read = {scene_}, plugins = plugins_;
  try {
    registry_.emplace(find());
    plugins = registry_->files();
    require_sound(*registry_, plugins_);
    Script script({.plugins = &*registry_, .stop = &interruption(), .permission = permission_});
    Experiment experiment = load(script, read);
    read_ = read;
    watch_.watch(read, experiment.plugins->files(), true, since);
    if (loaded_) outgoing_.add(*loaded_, *experiment.plugins);
    loaded_ = experiment.plugins;
    return experiment;
  } catch (const Error&) {
    watch_.watch(read, plugins, false, since);
    throw;
  }
}

// Loads the scene. Sets `read` to the files that the script has read, even if loading fails.
Experiment SceneFiles::load(Script& script, std::vector<fs::path>& read) const {
  try {
    Experiment experiment = script.load_scene(scene_, overrides_);
    read = script.files();
    return experiment;
  } catch (const Error&) {
    read = script.files();
    throw;
  }
}

SceneWatch::Files SceneFiles::changed() {
  return watch_.changed(registry_ ? &*registry_ : nullptr);
}

void SceneFiles::warn_of_stayed() {
  for (const std::string& warning : outgoing_.warnings()) print_message("warning: " + warning);
}

}  // namespace torsor::cli
