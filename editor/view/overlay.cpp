#include "editor/view/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/view/legend.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

ImU32 ink(const Color& c, double alpha = 1) {
  return ImGui::ColorConvertFloat4ToU32({float(c.r), float(c.g), float(c.b), float(c.a * alpha)});
}

ImU32 plate(float alpha) {
  ImVec4 c = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
  c.w = alpha;
  return ImGui::ColorConvertFloat4ToU32(c);
}

class Drawer {
 public:
  explicit Drawer(const Overlay& o)
      : o_(o), draw_(*ImGui::GetWindowDrawList()), colors_(palette(theme_is_dark())) {}

  void draw() {
    for (const Mark& mark : o_.view.drawing.marks)
      if (const auto at = place(mark.at))
        draw_center_of_mass(draw_, *at, scaled(mark.of_robot ? robot_mark : link_mark));
    labels();
    axes();
    draw_legend(draw_, o_.view, o_.model, o_.at, o_.size);
    if (o_.view.drag && !o_.view.drag->by_joints && !o_.playing)
      note("Paused: the spring pulls when the run plays (Space).");
  }

 private:
  std::optional<ImVec2> place(const Vec3<double>& point) const {
    const auto pixel = o_.view.camera.project(point, o_.size.x, o_.size.y);
    if (!pixel || pixel->x < 0 || pixel->y < 0 || pixel->x > o_.size.x || pixel->y > o_.size.y)
      return std::nullopt;
    return ImVec2{o_.at.x + float(pixel->x), o_.at.y + float(pixel->y)};
  }

  void labels() {
    std::vector<LabelBox> boxes;
    std::vector<const Label*> shown;
    for (const Label& label : o_.view.drawing.labels) {
      const auto at = place(label.at);
      if (!at) continue;
      const ImVec2 size = ImGui::CalcTextSize(label.text.c_str());
      const float x = std::min(at->x + scaled(6), o_.at.x + o_.size.x - size.x - scaled(4));
      boxes.push_back({x, at->y - size.y / 2, size.x, size.y});
      shown.push_back(&label);
    }
    part_labels(boxes);
    for (size_t k = 0; k < shown.size(); ++k) {
      const LabelBox& box = boxes[k];
      const float edge = scaled(2);
      draw_.AddRectFilled({box.x - edge, box.y}, {box.x + box.width + edge, box.y + box.height},
                          plate(0.55f), edge);
      draw_.AddText({box.x, box.y}, ink(shown[k]->color), shown[k]->text.c_str());
    }
  }

  // Draws a note at the top centre.
  void note(const char* text) {
    const ImVec2 size = ImGui::CalcTextSize(text);
    const ImVec2 corner{o_.at.x + (o_.size.x - size.x) / 2, o_.at.y + scaled(38)};
    const float edge = scaled(6);
    draw_.AddRectFilled({corner.x - edge, corner.y - edge / 2},
                        {corner.x + size.x + edge, corner.y + size.y + edge / 2}, plate(0.85f),
                        scaled(4));
    draw_.AddText(corner, ink(colors_.force), text);
  }

  // Draws the world axes in the lower left corner, the farthest axis first.
  void axes() {
    const float length = scaled(26), edge = scaled(40);
    const ImVec2 center{o_.at.x + edge, o_.at.y + o_.size.y - edge};
    const Camera& camera = o_.view.camera;
    struct Axis {
      const char* name;
      Vec3<double> e;
      Color color;
    } axes[] = {
        {"x", {1, 0, 0}, colors_.x}, {"y", {0, 1, 0}, colors_.y}, {"z", {0, 0, 1}, colors_.z}};
    std::sort(std::begin(axes), std::end(axes), [&](const Axis& a, const Axis& b) {
      return dot(a.e, camera.forward()) > dot(b.e, camera.forward());
    });
    for (const auto& [name, e, color] : axes) {
      const float x = float(dot(e, camera.right())), y = -float(dot(e, camera.up()));
      const ImVec2 tip{center.x + length * x, center.y + length * y};
      draw_.AddLine(center, tip, ink(color), scaled(2.2f));
      const ImVec2 size = ImGui::CalcTextSize(name);
      const float out = scaled(8);
      draw_.AddText({tip.x + out * x - size.x / 2, tip.y + out * y - size.y / 2}, ink(color), name);
    }
  }

  const Overlay& o_;
  ImDrawList& draw_;
  const Palette colors_;
};

}  // namespace

void draw_overlay(const Overlay& overlay) {
  Drawer(overlay).draw();
}

void part_labels(std::span<LabelBox> boxes) {
  for (size_t k = 1; k < boxes.size(); ++k) {
    LabelBox& box = boxes[k];
    for (size_t i = 0; i < k;) {
      const LabelBox& other = boxes[i];
      const bool apart = box.x >= other.x + other.width || other.x >= box.x + box.width ||
                         box.y >= other.y + other.height || other.y >= box.y + box.height;
      if (apart) {
        ++i;
        continue;
      }
      box.y = other.y + other.height;
      i = 0;
    }
  }
}

}  // namespace torsor::editor
