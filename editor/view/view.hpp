#pragma once
// The 3D view: what it shows and from where.

#include <memory>

#include "editor/session/moment.hpp"
#include "editor/view/drawing.hpp"

namespace torsor::editor {

struct ViewState {
  Camera camera;
  ViewToggles toggles;
  // The camera to what is there, or to where the robots can get to, at the next frame.
  enum class Fit { none, present, reach } fit = Fit::reach;
  int width = 0, height = 0;  // of the picture that the panel asks for, pixels; 0: the panel is not seen
  float pixel_scale = 1;      // pixels of it for a unit of the interface
  unsigned texture = 0;       // that holds it; 0: there is no renderer

  // Of the scene shown.
  Shapes shapes;
  std::vector<Trail> trails;
  std::vector<std::string> signals;  // of the Sampler, from which the trails are read, [trails]
  Drawing drawing;                   // of the moment

  // Another scene: its shapes, and trails of the last frame of each robot.
  void show(const Model& model);
  // Draws the way of this frame instead.
  void follow(const Model& model, int frame);
};

}  // namespace torsor::editor
