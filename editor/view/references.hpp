#pragma once
// What the controls of a scene are to follow, at a time; of frames the way over the whole run as
// well, found a little at a time.

#include <memory>
#include <span>

#include "editor/session/moment.hpp"

namespace torsor::editor {

// Of one control.
struct Goal {
  std::string name;  // of the control
  int robot;
  bool of_frame;
  Pose<double> X_WF = Pose<double>::identity();  // of a frame
  // Of its origin, from the start as far as it is known.
  std::vector<Vec3<double>> path = {};
  std::vector<Pose<double>> X_WB =
      {};  // [n_body] of joints: all bodies, where this robot is as it ought to be
};

class References {
 public:
  References();
  ~References();
  References(References&&) noexcept;
  References& operator=(References&&) noexcept;

  // Of the controls of a run of the scene, which may have changed since.
  void look_at(std::shared_ptr<const Scene> scene, std::span<const Control> controls);
  // At the time and position q [n_q] of the run. A reference that fails is left out from there on.
  std::span<const Goal> at(double t, std::span<const double> q);
  bool any() const { return !followed_.empty(); }

 private:
  struct Followed;
  void follow_path(Followed& followed, Goal& goal) const;

  std::shared_ptr<const Scene> scene_;
  std::vector<std::shared_ptr<const ControlLaw>> laws_;  // of all controls
  std::vector<Followed> followed_;
  std::vector<Goal> goals_;
};

}  // namespace torsor::editor
