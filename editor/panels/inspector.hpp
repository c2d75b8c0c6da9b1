#pragma once

namespace torsor::editor {

struct InspectorPanel {
  enum class Sliders { position, velocity, torque } sliders = Sliders::position;  // of all joints
  bool drag_has_edited = false;  // the slider that is held has made its edit already
};

}  // namespace torsor::editor
