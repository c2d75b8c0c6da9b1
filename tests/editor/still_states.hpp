#pragma once
// Creates states of a run without motion: a robot at a given state.

#include "editor/plugins.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor::test {

// Returns an experiment at rest at q = 0, without torques. Tests may change it.
inline Experiment experiment_of(std::shared_ptr<const Model> model) {
  Experiment out;
  out.q = neutral(*model);
  out.v.assign(size_t(model->n_v), 0.0);
  out.load.tau.assign(size_t(model->n_v), 0.0);
  out.solver = "newton_euler";
  out.model = std::move(model);
  return out;
}

inline std::shared_ptr<Scene> still_scene(Experiment experiment) {
  auto scene = std::make_shared<Scene>();
  scene->experiment = std::move(experiment);
  set_plugins(scene->experiment, std::make_shared<const Registry>(shipped_plugins()));
  for (const PluginInfo& plugin : shipped_plugins().plugins())
    if (plugin.kind() == Solver::kind)
      scene->solvers.push_back(
          {plugin.id, plugin.family.empty() ? "" : "it is made for a family of robots"});
  scene->steps = 1000;
  return scene;
}

inline std::shared_ptr<const SessionState> state_of(std::shared_ptr<const Scene> scene,
                                                    long long step, std::vector<double> q,
                                                    std::vector<double> v) {
  auto out = std::make_shared<SessionState>();
  out->scene = std::move(scene);
  out->state.step = step;
  out->state.q = std::move(q);
  out->state.v = std::move(v);
  out->timeline = Timeline(out->state);
  return out;
}

}  // namespace torsor::editor::test
