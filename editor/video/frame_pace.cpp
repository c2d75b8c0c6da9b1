#include "editor/video/frame_pace.hpp"

#include <cmath>

#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"

namespace torsor::editor {

bool FramePace::follow(const SessionState& now) {
  if (!now.scene || now.seeking) return false;
  const long long step = now.state.step;
  if (now.scene != scene_ || step < last_ || step > *hold_) {
    scene_ = now.scene;
    taken_ = false;
    last_ = step;
    next_ = double(step);
    hold_ = step;
  }
  // Playback ends at the last step. The picture of this step is a frame too.
  return now.held_at == hold_ && (now.playing || taken_);
}

int FramePace::take(const SessionState& now) {
  const double steps = now.speed / (fps_ * now.scene->experiment.dt);
  const long long taken = *hold_;
  int times = 0;
  for (; std::llround(next_) <= taken; ++times) next_ += steps;
  hold_ = std::llround(next_);
  last_ = now.state.step;
  taken_ = true;
  return times;
}

}  // namespace torsor::editor
