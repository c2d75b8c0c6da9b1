#include "editor/panels/explain/contact_source.hpp"

#include <utility>

#include "editor/probe/constraint_step.hpp"
#include "editor/probe/contacts/contact_step.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"

namespace torsor::editor {

void ContactSource::look_at(const Now& now) {
  take_result();
  if (shown_ && shown_->scene != now->scene) shown_ = nullptr, step_ = nullptr;
  if (comparing_ && comparing_->scene != now->scene) comparing_ = nullptr;
  if (comparing_ && !job_.busy()) start(comparing_, true);
}

const ContactStep* ContactSource::step(const Now& now, Probe& probe) {
  if (!exceeds_a_frame(now->scene->model())) return &probe.contact_step();
  if (shown_ != now && (shown_ ? job_.rested() : !job_.busy())) start(now, false);
  return step_.get();
}

void ContactSource::compare(const Now& now, Probe& probe) {
  compared_ = nullptr;
  compared_scene_ = now->scene;
  if (exceeds_a_frame(now->scene->model()))
    comparing_ = now;
  else
    compared_ = std::make_shared<ConstraintSolvers>(probe.compare_contact_solvers());
}

const ConstraintSolvers* ContactSource::compared(const Now& now) const {
  return compared_scene_.lock() == now->scene ? compared_.get() : nullptr;
}

void ContactSource::take_result() {
  if (job_.busy() || !new_step_) return;
  shown_ = request_;
  step_ = std::exchange(new_step_, nullptr);
  if (!new_comparison_) return;
  if (comparing_ == request_) {
    compared_ = std::exchange(new_comparison_, nullptr);
    compared_scene_ = request_->scene;
    comparing_ = nullptr;
  }
  new_comparison_ = nullptr;
}

void ContactSource::start(const Now& now, bool compare) {
  request_ = now;
  job_.start([this, compare] {
    if (!probe_) probe_.emplace();
    probe_->look_at(request_);
    new_step_ = std::make_shared<ContactStep>(probe_->contact_step());
    if (compare)
      new_comparison_ = std::make_shared<ConstraintSolvers>(probe_->compare_contact_solvers());
  });
}

}  // namespace torsor::editor
