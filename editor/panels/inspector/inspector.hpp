#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct InspectorPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  enum class Sliders { position, velocity, torque } sliders = Sliders::position;  // for all joints
  bool drag_has_edited = false;  // true if the held slider has already made its edit
  double held_reach = 0;         // factor by which its range is widened; 0: no slider is held
};

}  // namespace torsor::editor
