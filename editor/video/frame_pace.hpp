#pragma once
// Selects the pictures of a run that are frames of a video. Frames are speed / fps apart in
// simulated time. The run waits at each of these steps until its picture is taken. No frame is
// therefore missing on a slow machine, and the video plays at the selected speed. A paused run has
// no frames. A jump in time is a cut.

#include <memory>
#include <optional>

namespace torsor::editor {

struct Scene;
struct SessionState;

class FramePace {
 public:
  FramePace() = default;
  explicit FramePace(double fps) : fps_(fps) {}

  // Updates hold() for the state `now`. Returns whether the picture of this state is a frame.
  bool follow(const SessionState& now);
  // Notes that the picture of this state was taken, and advances hold() to the next frame. Returns
  // for how many frames the picture is used: more than one if a step is longer than a frame.
  int take(const SessionState& now);
  // Returns the step at which the run must wait until its picture is taken, or nullopt before there
  // is a run.
  std::optional<long long> hold() const { return hold_; }

 private:
  double fps_ = 30;
  std::shared_ptr<const Scene> scene_;
  bool taken_ = false;  // true if a frame was taken since the last jump in time
  long long last_ = 0;  // step of the last frame
  double next_ = 0;     // the value that is rounded to hold_
  std::optional<long long> hold_;
};

}  // namespace torsor::editor
