#include "editor/panels/dynamics/data.hpp"

#include <utility>

#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "torsor/mechanics/state.hpp"

namespace torsor::editor {

DynamicsData dynamics_data(Probe& probe, DynamicsView view, const DynamicsChoice& choice) {
  DynamicsData out{.table = dynamics_table(probe, view, choice),
                   .time = probe.state().time,
                   .v = probe.state().v};
  if (view == DynamicsView::M || !out.table.failure.empty())
    out.singular = describe_singular(probe.mass_spectrum(), probe.state().model());
  if (!out.table.failure.empty()) return out;
  if (view == DynamicsView::M) out.spectrum = probe.mass_spectrum();
  if (view == DynamicsView::C) out.skew = probe.skew();
  if (view == DynamicsView::Lambda) out.frame = probe.frame_dynamics(choice.frame);
  return out;
}

bool DynamicsSource::Request::same_view(const Request& other) const {
  return now->scene == other.now->scene && view == other.view && choice == other.choice;
}

const DynamicsData* DynamicsSource::data(const std::shared_ptr<const SessionState>& now,
                                         Probe& probe, DynamicsView view,
                                         const DynamicsChoice& choice) {
  const Request wanted{now, view, choice};
  if (exceeds_a_frame(now->scene->model())) return in_background(wanted);
  // Christoffel symbols are not reused: the probe may return those of an earlier state until it has
  // computed new ones.
  if (shown_ && shown_request_ == wanted && view != DynamicsView::christoffel) return &*shown_;
  shown_ = dynamics_data(probe, view, choice);
  shown_request_ = wanted;
  ++computed_;
  return &*shown_;
}

const DynamicsData* DynamicsSource::in_background(const Request& wanted) {
  if (!job_.busy() && result_) {
    shown_ = std::exchange(result_, std::nullopt);
    shown_request_ = request_;
    ++computed_;
  }
  const bool other_view = !shown_ || !shown_request_.same_view(wanted);
  const bool outdated = other_view || shown_request_.now != wanted.now;
  if (outdated && (other_view ? !job_.busy() : job_.rested())) {
    request_ = wanted;
    job_.start([this] {
      if (!probe_) probe_.emplace();
      probe_->look_at(request_.now);
      result_ = dynamics_data(*probe_, request_.view, request_.choice);
    });
  }
  return other_view ? nullptr : &*shown_;
}

}  // namespace torsor::editor
