#pragma once

#include "editor/panels/panel.hpp"

namespace torsor::editor {

struct InspectorPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;

  enum class Sliders { position, velocity, torque } sliders = Sliders::position;  // of all joints
  bool drag_has_edited = false;  // the slider that is held has made its edit already
  double held_reach = 0;         // by how much its range is widened; 0: none is held
};

}  // namespace torsor::editor
