#pragma once

namespace torsor::editor {

struct InspectorPanel {
  enum class Sliders { position, velocity, torque } sliders = Sliders::position;  // of all joints
  bool drag_has_edited = false;  // the slider that is held has made its edit already
  double held_reach = 0;         // by how much its range is widened; 0: none is held
};

}  // namespace torsor::editor
