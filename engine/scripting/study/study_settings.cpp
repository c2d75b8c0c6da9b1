#include "torsor/scripting/study/study_settings.hpp"

#include "torsor/scripting/study/scene_study.hpp"
#include "torsor/study/sampling/number_text.hpp"

namespace torsor {

StudySettings study_settings(const RunSettings& run) {
  StudySettings out;
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

}  // namespace torsor
