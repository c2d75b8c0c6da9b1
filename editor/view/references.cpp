#include "editor/view/references.hpp"

#include <algorithm>
#include <chrono>

#include "torsor/mechanics/kinematics.hpp"

namespace torsor::editor {

// A control whose reference is shown. law is a separate copy, so that it shares no working memory
// with the run.
struct References::Followed {
  std::unique_ptr<ControlLaw> law;
  Reference now;
  bool failed = false;

  void evaluate(double t) try {
    law->reference()->evaluate(t, now);
  } catch (const Error&) {  // the run reports the same error
    failed = true;
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
  followed_.clear();
  goals_.clear();
  for (const Control& control : controls) {
    laws_.push_back(control.law);
    if (!control.law->reference()) continue;
    Followed followed{control.law->clone(), {}};
    const ReferenceLaw& reference = *followed.law->reference();
    followed.now = reference.make();
    goals_.push_back(
        {.name = control.name, .robot = control.robot, .of_frame = reference.of_frame});
    followed_.push_back(std::move(followed));
  }
}

std::span<const Goal> References::at(double t, std::span<const double> q) {
  for (size_t k = 0; k < followed_.size();) {
    Followed& followed = followed_[k];
    Goal& goal = goals_[k];
    if (goal.of_frame) follow_path(followed, goal);
    followed.evaluate(t);
    if (followed.failed) {
      followed_.erase(followed_.begin() + long(k));
      goals_.erase(goals_.begin() + long(k));
      continue;
    }
    if (goal.of_frame) {
      goal.X_WF = followed.now.X_WF;
    } else {
      State state(scene_->experiment.model);
      std::vector<double> there(q.begin(), q.end());
      const size_t first = size_t(scene_->model().robots[size_t(goal.robot)].first_q);
      std::copy(followed.now.q.begin(), followed.now.q.end(), there.begin() + long(first));
      state.set_q(there);
      goal.X_WB = world_poses(state);
    }
    ++k;
  }
  return goals_;
}

// Extends the path of a frame for at most half a millisecond per call, until it covers the duration
// of the scene.
void References::follow_path(Followed& followed, Goal& goal) const {
  constexpr size_t n = 401;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::microseconds(500);
  const double duration = double(scene_->steps) * scene_->experiment.dt;
  while (goal.path.size() < n && !followed.failed && Clock::now() < end) {
    followed.evaluate(duration * double(goal.path.size()) / double(n - 1));
    goal.path.push_back(followed.now.X_WF.p);
  }
}

}  // namespace torsor::editor
