#include "editor/session/probe.hpp"

namespace torsor::editor {

Probe::Probe(const Registry& registry) : registry_(registry) {}

void Probe::look_at(std::shared_ptr<const Moment> moment) {
  if (moment == moment_) return;
  moment_ = std::move(moment);
  if (scene_ != moment_->scene) {
    scene_ = moment_->scene;
    const Experiment& experiment = scene_->experiment;
    state_.emplace(experiment.model);
    state_->set_gravity(experiment.gravity_W);
    for (const auto& [frame, F] : experiment.load.wrench_F)
      state_->add_wrench(experiment.model->frames[frame], F);
  }
  state_->set_q(moment_->state.q);
  state_->v = moment_->state.v;
  state_->time = moment_->time();
}

}  // namespace torsor::editor
