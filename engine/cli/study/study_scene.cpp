#include "torsor/cli/study/study_scene.hpp"

#include <algorithm>

#include "torsor/base/prefix.hpp"
#include "torsor/cli/support/interrupt.hpp"
#include "torsor/scripting/cache/script_cache.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/study/sampling/number_text.hpp"

namespace torsor::cli {

namespace {

constexpr std::string_view set_prefix = "--set ";

}  // namespace

StudySettings study_settings(const StudySettings& set, const RunSettings& run) {
  StudySettings out;
  for (const auto& [name, value] : set) out[std::string(set_prefix) + name] = value;
  if (run.solver) out["--solver"] = *run.solver;
  if (run.constraint_solver) out["--constraint-solver"] = *run.constraint_solver;
  if (run.integrator) out["--integrator"] = *run.integrator;
  if (run.dt) out["--dt"] = number_text(*run.dt);
  if (run.duration) out["--duration"] = number_text(*run.duration);
  return out;
}

RunSettings run_settings(const StudySettings& settings, StudySettings& given_set) {
  RunSettings out;
  for (const auto& [name, value] : settings) {
    if (name.starts_with(set_prefix)) given_set[name.substr(set_prefix.size())] = value;
    if (name == "--solver") out.solver = value;
    if (name == "--constraint-solver") out.constraint_solver = value;
    if (name == "--integrator") out.integrator = value;
    if (name == "--dt") out.dt = number_of(value);
    if (name == "--duration") out.duration = number_of(value);
  }
  return out;
}

StudySceneLoader::StudySceneLoader(std::string scene, StudySettings set, RunSettings run,
                                   const Registry& plugins, Permission permission)
    : scene_(std::move(scene)),
      set_(std::move(set)),
      run_(std::move(run)),
      plugins_(plugins),
      permission_(std::move(permission)),
      scripts_(default_script_folder()),
      cache_(std::make_shared<ScriptCache>()) {}

StudyScene StudySceneLoader::load_nominal(std::vector<std::filesystem::path>& files) const {
  Script script({.scripts = scripts_,
                 .plugins = &plugins_,
                 .stop = &interruption(),
                 .permission = permission_,
                 .cache = cache_});
  StudyScene out = script.load_study(scene_, set_);
  out.experiment = with_settings(std::move(out.experiment), run_);
  files = script.files();
  return out;
}

StudyScene StudySceneLoader::load(const StudySettings& values, double seconds) const {
  ScriptLimits limits;
  limits.seconds = std::min(limits.seconds, seconds);
  Script script({.scripts = scripts_,
                 .limits = limits,
                 .print = [](std::string_view) {},
                 .plugins = &plugins_,
                 .stop = &interruption(),
                 .permission = permission_,
                 .cache = cache_,
                 .visuals = false});
  StudySettings settings = set_;
  for (const auto& [name, value] : values) settings[name] = value;
  StudyScene out = script.load_study(scene_, settings);
  out.experiment = with_settings(std::move(out.experiment), run_);
  return out;
}

}  // namespace torsor::cli
