#pragma once
// Which pictures of a run are frames of a video: those at equal steps of its time, speed / fps seconds. The run waits at each until its
// picture has been taken, so that none is missing where the window or the encoder are slow, and the video plays as fast as the run
// was asked to. While nothing plays there are no frames; a jump in time is a cut, from where the run then plays on.

#include <memory>
#include <optional>

#include "editor/session/moment.hpp"

namespace torsor::editor {

class FramePace {
 public:
  FramePace() = default;
  explicit FramePace(double fps) : fps_(fps) {}

  // Whether the picture of a moment is a frame.
  bool follow(const Moment& now);
  // That it has been taken. Returns how many frames it is: more than one where a step of the run takes longer than they do.
  int take(const Moment& now);
  // The step at which the run is to wait; nothing before there is a run.
  std::optional<long long> hold() const { return hold_; }

 private:
  double fps_ = 30;
  std::shared_ptr<const Scene> scene_;
  bool taken_ = false;  // since the last jump
  long long last_ = 0;  // step of the last frame
  double next_ = 0;     // exactly what hold_ rounds
  std::optional<long long> hold_;
};

}  // namespace torsor::editor
