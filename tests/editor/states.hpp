#pragma once
// Creates states of a run as a session publishes them, without a session.

#include "editor/plugins.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "simulation/robots.hpp"
#include "torsor/run/player.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"

namespace torsor::editor::test {

using namespace torsor::test;

inline std::shared_ptr<const Scene> scene_of(Experiment experiment) {
  auto scene = std::make_shared<Scene>();
  scene->file = "swing.lua";
  scene->steps = step_count(experiment.duration, experiment.dt, "the duration");
  scene->experiment = std::move(experiment);
  set_plugins(scene->experiment, std::make_shared<const Registry>(shipped_plugins()));
  return scene;
}

// A run that a test advances, edits and reads.
class HandRun {
 public:
  explicit HandRun(std::shared_ptr<const Scene> scene, size_t memory = 64 << 20)
      : scene_(std::move(scene)),
        player_(scene_->experiment),
        timeline_(player_.simulation().snapshot(), memory) {}

  void advance(int steps) {
    for (int k = 0; k < steps; ++k) {
      player_.advance({});
      timeline_.append(player_.simulation().snapshot());
    }
  }
  void change(long long step, const Change::What& what) {
    player_.seek(timeline_, step);
    player_.change(timeline_, what);
  }
  void go_back_to(const Timeline& version) {
    timeline_ = version;
    player_.seek(timeline_, timeline_.end());
  }
  Timeline& timeline() { return timeline_; }
  Simulation& simulation() { return player_.simulation(); }

  std::shared_ptr<const SessionState> state() const {
    auto out = std::make_shared<SessionState>();
    out->scene = scene_;
    out->state = player_.simulation().snapshot();
    out->timeline = timeline_;
    out->limit = scene_->steps;
    return out;
  }

 private:
  std::shared_ptr<const Scene> scene_;
  Player player_;
  Timeline timeline_;
};

}  // namespace torsor::editor::test
