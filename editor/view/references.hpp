#pragma once
// The references of a scene's controls at one time. A reference for a frame also has its path over
// the duration of the scene. The path is computed in steps, one per frame of the window.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "torsor/spatial/pose.hpp"

namespace torsor {
class ControlLaw;
struct Control;
}  // namespace torsor

namespace torsor::editor {

struct Scene;

// A reference to draw: of a control, or the state of another run for comparison.
struct DrawnReference {
  std::string name;  // name of the control or run
  int robot;
  bool of_frame;
  Pose<double> X_WF = Pose<double>::identity();  // reference of a frame
  // Path of the frame's origin from the start; the part that is computed so far. The path ends
  // before the first time at which it cannot be computed.
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
  // Returns the references at a time t in s and position q [n_q] of the run. Omits a reference that
  // cannot be evaluated at this time.
  std::span<const DrawnReference> at(double t, std::span<const double> q);
  // Returns whether the last call of at() returned a reference.
  bool any() const { return !drawn_.empty(); }

 private:
  struct ControlReference;
  void extend_path(ControlReference& reference) const;

  std::shared_ptr<const Scene> scene_;
  std::vector<std::shared_ptr<const ControlLaw>> laws_;  // laws of all selected controls
  std::vector<ControlReference> references_;
  std::vector<DrawnReference> drawn_;  // result of at()
};

}  // namespace torsor::editor
