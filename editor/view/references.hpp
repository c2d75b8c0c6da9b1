#pragma once
// The references of a scene's controls at one time. For a frame, also its path over the complete
// run, which is computed in small parts.

#include <memory>
#include <span>

#include "editor/session/moment.hpp"

namespace torsor::editor {

// The reference of one control.
struct Goal {
  std::string name;  // name of the control
  int robot;
  bool of_frame;
  Pose<double> X_WF = Pose<double>::identity();  // reference of a frame
  // Path of the frame's origin from the start, as far as it is computed.
  std::vector<Vec3<double>> path = {};
  // Reference of joints: poses [n_body] of all bodies, with this robot at its reference position.
  std::vector<Pose<double>> X_WB = {};
};

class References {
 public:
  References();
  ~References();
  References(References&&) noexcept;
  References& operator=(References&&) noexcept;

  // Selects the controls of a run of the scene. They may differ from the scene's own controls.
  void look_at(std::shared_ptr<const Scene> scene, std::span<const Control> controls);
  // Returns the references at a time and position q [n_q] of the run. A reference that fails is
  // omitted from then on.
  std::span<const Goal> at(double t, std::span<const double> q);
  bool any() const { return !followed_.empty(); }

 private:
  struct Followed;
  void follow_path(Followed& followed, Goal& goal) const;

  std::shared_ptr<const Scene> scene_;
  std::vector<std::shared_ptr<const ControlLaw>> laws_;  // laws of all controls
  std::vector<Followed> followed_;
  std::vector<Goal> goals_;
};

}  // namespace torsor::editor
