#pragma once
// Draws the flat overlay of the picture: symbols of centres of mass, labels, world axes, legend.

#include <imgui.h>

#include "editor/view/view.hpp"

namespace torsor::editor {

struct Overlay {
  const ViewState& view;
  const Model& model;
  bool playing;
  ImVec2 at, size;  // upper left corner and size of the picture on the screen
};
void draw_overlay(const Overlay& overlay);

// The rectangle of a label on the screen.
struct LabelBox {
  float x, y, width, height;
};
// Moves each box down until it covers no earlier box.
void part_labels(std::span<LabelBox> boxes);

}  // namespace torsor::editor
