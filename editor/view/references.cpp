#include "editor/view/references.hpp"

#include <algorithm>
#include <chrono>

#include "editor/session/scene.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

// The reference of a control. law is a separate copy, so that it shares no working memory with the
// run.
struct References::ControlReference {
  std::unique_ptr<ControlLaw> law;
  Reference now;
  DrawnReference drawn;
  bool path_complete = false;

  // Evaluates the reference at time t in s. Returns false if it fails.
  bool evaluate(double t) try {
    law->reference()->evaluate(t, now);
    return true;
  } catch (const Error&) {  // the run reports the same error
    return false;
  }
};

References::References() = default;
References::~References() = default;
References::References(References&&) noexcept = default;
References& References::operator=(References&&) noexcept = default;

void References::look_at(std::shared_ptr<const Scene> scene, std::span<const Control> controls) {
  const bool same =
      scene == scene_ && std::equal(controls.begin(), controls.end(), laws_.begin(), laws_.end(),
                                    [](const Control& a, const auto& law) { return a.law == law; });
  if (same) return;
  scene_ = std::move(scene);
  laws_.clear();
  references_.clear();
  drawn_.clear();
  for (const Control& control : controls) {
    laws_.push_back(control.law);
    if (!control.law->reference()) continue;
    ControlReference reference{control.law->clone(), {}, {control.name, control.robot, false}};
    const ReferenceLaw& law = *reference.law->reference();
    reference.now = law.make();
    reference.drawn.of_frame = law.of_frame;
    references_.push_back(std::move(reference));
  }
}

std::span<const DrawnReference> References::at(double t, std::span<const double> q) {
  drawn_.clear();
  for (ControlReference& reference : references_) {
    DrawnReference& drawn = reference.drawn;
    if (drawn.of_frame) extend_path(reference);
    if (!reference.evaluate(t)) continue;
    if (drawn.of_frame) {
      drawn.X_WF = reference.now.X_WF;
    } else {
      State state(scene_->experiment.model);
      std::vector<double> there(q.begin(), q.end());
      const size_t first = size_t(scene_->model().robots[size_t(drawn.robot)].first_q);
      std::copy(reference.now.q.begin(), reference.now.q.end(), there.begin() + long(first));
      state.set_q(there);
      drawn.X_WB = world_poses(state);
    }
    drawn_.push_back(drawn);
  }
  return drawn_;
}

// Extends the path of a frame for at most half a millisecond per call, until it covers the duration
// of the scene or the reference fails.
void References::extend_path(ControlReference& reference) const {
  constexpr size_t n = 401;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::microseconds(500);
  const double duration = double(scene_->steps) * scene_->experiment.dt;
  std::vector<Vec3<double>>& path = reference.drawn.path;
  while (!reference.path_complete && Clock::now() < end) {
    if (reference.evaluate(duration * double(path.size()) / double(n - 1)))
      path.push_back(reference.now.X_WF.p);
    else
      reference.path_complete = true;
    if (path.size() == n) reference.path_complete = true;
  }
}

}  // namespace torsor::editor
