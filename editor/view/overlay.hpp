#pragma once
// Draws the flat overlay of the picture: symbols of centres of mass, labels, world axes, legend.

#include <imgui.h>

#include "editor/view/view.hpp"

namespace torsor::editor {

struct Overlay {
  const ViewState& view;
  const Model& model;
  bool playing;
  ImVec2 at, size;  // of the picture, in screen coordinates
};
void draw_overlay(const Overlay& overlay);

// Moves label boxes down by the minimum distance at which none covers an earlier box.
struct LabelBox {
  float x, y, width, height;
};
void part_labels(std::span<LabelBox> boxes);

}  // namespace torsor::editor
