#include "torsor/scripting/study/study_scene.hpp"

#include <algorithm>

#include "torsor/base/prefix.hpp"
#include "torsor/scripting/cache/script_cache.hpp"
#include "torsor/scripting/scene/script.hpp"

namespace torsor {

StudySceneLoader::StudySceneLoader(StudySceneRequest request)
    : request_(std::move(request)),
      scripts_(default_script_folder()),
      cache_(std::make_shared<ScriptCache>()) {}

StudyScene StudySceneLoader::load_nominal(std::vector<std::filesystem::path>& files) const {
  Script script({.scripts = scripts_,
                 .print = request_.print,
                 .plugins = request_.plugins,
                 .stop = request_.stop,
                 .permission = request_.permission,
                 .cache = cache_});
  StudyScene out = script.load_study(request_.file, request_.settings);
  out.experiment = request_.change(std::move(out.experiment));
  files = script.files();
  return out;
}

StudyScene StudySceneLoader::load(const StudySettings& values, double seconds,
                                  const std::atomic<bool>* stop) const {
  ScriptLimits limits;
  limits.seconds = std::min(limits.seconds, seconds);
  Script script({.scripts = scripts_,
                 .limits = limits,
                 .print = [](std::string_view) {},
                 .plugins = request_.plugins,
                 .stop = stop,
                 .permission = request_.permission,
                 .cache = cache_,
                 .visuals = false});
  StudySettings settings = request_.settings;
  for (const auto& [name, value] : values) settings[name] = value;
  StudyScene out = script.load_study(request_.file, settings);
  out.experiment = request_.change(std::move(out.experiment));
  return out;
}

}  // namespace torsor
