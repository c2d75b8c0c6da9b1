#pragma once
// Selects the pictures of a run that are frames of a video: those at equal steps of simulated time,
// speed / fps seconds. The run waits at each of these steps until its picture is taken. No frame is
// therefore missing on a slow machine, and the video plays at the selected speed. While the run is
// paused there are no frames. A jump in time is a cut.

#include <memory>
#include <optional>

#include "editor/session/moment.hpp"

namespace torsor::editor {

class FramePace {
 public:
  FramePace() = default;
  explicit FramePace(double fps) : fps_(fps) {}

  // Returns whether the picture of the state `now` is a frame of the video.
  bool follow(const Moment& now);
  // Records that the picture was taken. Returns the number of frames that it represents. It is more
  // than one if a step is longer than a frame.
  int take(const Moment& now);
  // Returns the step at which the run must wait until its picture is taken. Returns nullopt before
  // there is a run.
  std::optional<long long> hold() const { return hold_; }

 private:
  double fps_ = 30;
  std::shared_ptr<const Scene> scene_;
  bool taken_ = false;  // since the last jump
  long long last_ = 0;  // step of the last frame
  double next_ = 0;     // the value that is rounded to hold_
  std::optional<long long> hold_;
};

}  // namespace torsor::editor
