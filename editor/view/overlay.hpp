#pragma once
// What is written and drawn flat over the picture: signs of centres of mass, labels, the axes of
// the world, the legend.

#include <imgui.h>

#include "editor/view/view.hpp"

namespace torsor::editor {

struct Overlay {
  const ViewState& view;
  const Model& model;
  bool playing;
  ImVec2 at, size;  // of the picture, on the screen
};
void draw_overlay(const Overlay& overlay);

// Moves boxes down, each by no more than it must, so that none covers one before it.
struct LabelBox {
  float x, y, width, height;
};
void part_labels(std::span<LabelBox> boxes);

}  // namespace torsor::editor
