#pragma once
// The references of a scene's controls at one time. A reference for a frame also has its path over
// the duration of the scene. The path is computed in steps, one per frame of the window.

#include <memory>
#include <span>

#include "editor/session/session_state.hpp"

namespace torsor::editor {

// The reference of a control, or the state of another run for comparison.
struct Goal {
  std::string name;  // name of the control or run
  int robot;
  bool of_frame;
  Pose<double> X_WF = Pose<double>::identity();  // reference of a frame
  // Path of the frame's origin from the start; the part that is computed so far.
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

  // Selects the controls of a run of the scene. Their parameters may differ from those in the
  // scene.
  void look_at(std::shared_ptr<const Scene> scene, std::span<const Control> controls);
  // Returns the references at a time t in s and position q [n_q] of the run. A reference that fails
  // once is omitted in later calls as well.
  std::span<const Goal> at(double t, std::span<const double> q);
  bool any() const { return !followed_.empty(); }

 private:
  struct Followed;
  void follow_path(Followed& followed, Goal& goal) const;

  std::shared_ptr<const Scene> scene_;
  std::vector<std::shared_ptr<const ControlLaw>> laws_;  // laws of all selected controls
  std::vector<Followed> followed_;
  std::vector<Goal> goals_;
};

}  // namespace torsor::editor
