#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

// The panel Inspector: the values of the selection, and sliders for positions, velocities and
// torques.
struct InspectorPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  // Quantity that the sliders of a robot or of all robots set.
  enum class Sliders { position, velocity, torque } sliders = Sliders::position;
  // True after the first edit of the current drag. Later edits continue this edit.
  bool drag_has_edited = false;
  // Factor by which the range of the dragged slider is widened. It is constant during a drag.
  double held_reach = 0;
};

}  // namespace torsor::editor
