#include "editor/view/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "editor/app/widgets.hpp"

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

// A disc in quarters, black and white.
void center_of_mass(ImDrawList& draw, ImVec2 at, float radius) {
  constexpr float quarter = 1.57079633f;
  draw.AddCircleFilled(at, radius + scaled(1), ImGui::GetColorU32(ImGuiCol_Text));
  for (int k = 0; k < 4; ++k) {
    draw.PathLineTo(at);
    draw.PathArcTo(at, radius, quarter * float(k), quarter * float(k + 1), 8);
    draw.PathFillConvex(k % 2 ? IM_COL32(25, 27, 31, 255) : IM_COL32(250, 250, 250, 255));
  }
}
constexpr float link_mark = 3.5f, whole_mark = 6.5f;  // radii at scale 1

class Drawer {
 public:
  explicit Drawer(const Overlay& o)
      : o_(o), draw_(*ImGui::GetWindowDrawList()), colors_(palette(theme_is_dark())) {}

  void draw() {
    for (const Mark& mark : o_.view.drawing.marks)
      if (const auto at = place(mark.at))
        center_of_mass(draw_, *at, scaled(mark.whole ? whole_mark : link_mark));
    labels();
    axes();
    legend();
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
      draw_.AddRectFilled({box.x - edge, box.y}, {box.x + box.width + edge, box.y + box.height}, plate(0.55f),
                          edge);
      draw_.AddText({box.x, box.y}, ink(shown[k]->color), shown[k]->text.c_str());
    }
  }

  // Of the world, in the lower left corner; those that point away are drawn first.
  void axes() {
    const float length = scaled(26), edge = scaled(40);
    const ImVec2 center{o_.at.x + edge, o_.at.y + o_.size.y - edge};
    const Camera& camera = o_.view.camera;
    struct Axis {
      const char* name;
      Vec3<double> e;
      Color color;
    } axes[] = {{"x", {1, 0, 0}, colors_.x}, {"y", {0, 1, 0}, colors_.y}, {"z", {0, 0, 1}, colors_.z}};
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

  struct Row {
    std::string text;
    std::function<void(ImVec2 at, float width)> sign;
  };

  void line_row(std::vector<Row>& rows, std::string text, const Color& color, float thickness) {
    rows.push_back({std::move(text), [this, color, thickness](ImVec2 at, float width) {
                      draw_.AddLine(at, {at.x + width, at.y}, ink(color), scaled(thickness));
                    }});
  }

  std::vector<Row> rows() {
    const ViewToggles& on = o_.view.toggles;
    std::vector<Row> rows;
    if (on.axes) line_row(rows, "screw axis of a joint", colors_.axis, 2);
    if (on.frames)
      rows.push_back({"x, y, z of a frame", [this](ImVec2 at, float width) {
                        const Color* colors[] = {&colors_.x, &colors_.y, &colors_.z};
                        for (int k = 0; k < 3; ++k)
                          draw_.AddLine({at.x + width * float(k) / 3, at.y},
                                        {at.x + width * float(k + 1) / 3, at.y}, ink(*colors[k]),
                                        scaled(2.4f));
                      }});
    if (on.com)
      rows.push_back({"centre of mass: link, robot", [this](ImVec2 at, float width) {
                        center_of_mass(draw_, {at.x + width * 0.15f, at.y}, scaled(link_mark));
                        center_of_mass(draw_, {at.x + width * 0.75f, at.y}, scaled(whole_mark - 1));
                      }});
    if (on.inertia)
      rows.push_back({"solid ellipsoid of the same inertia", [this](ImVec2 at, float width) {
                        draw_.AddCircleFilled({at.x + width / 2, at.y}, scaled(5), ink(colors_.inertia));
                      }});
    if (on.wrenches) wrench_rows(rows);
    if (on.trail)
      for (const Trail& trail : o_.view.trails)
        if (!trail.points.empty())
          line_row(rows, fmt::format("way of {}", o_.model.frames[size_t(trail.frame)].name), trail.color, 2);
    return rows;
  }

  void wrench_rows(std::vector<Row>& rows) {
    const auto& wrenches = o_.load.wrench_F;
    const auto any = [&](auto part) {
      return std::any_of(wrenches.begin(), wrenches.end(),
                         [&](const auto& w) { return norm(w.second.*part) > 0; });
    };
    if (any(&Wrench<double>::f)) line_row(rows, "force applied, fixed in its frame", colors_.force, 3);
    if (any(&Wrench<double>::n)) line_row(rows, "moment applied, fixed in its frame", colors_.moment, 3);
  }

  void legend() {
    const std::vector<Row> all = rows();
    if (all.empty()) return;
    const float sign = scaled(24), gap = scaled(8), pad = scaled(7),
                line = ImGui::GetTextLineHeightWithSpacing();
    float width = 0;
    for (const Row& row : all) width = std::max(width, ImGui::CalcTextSize(row.text.c_str()).x);
    width += sign + gap + 2 * pad;
    const float height = line * float(all.size()) + 2 * pad - scaled(3);
    if (height > 0.4f * o_.size.y || width > 0.4f * o_.size.x) return;  // it would hide the robot
    const ImVec2 end{o_.at.x + o_.size.x - scaled(8), o_.at.y + o_.size.y - scaled(8)};
    const ImVec2 at{end.x - width, end.y - height};
    draw_.AddRectFilled(at, end, plate(0.72f), scaled(4));
    for (size_t k = 0; k < all.size(); ++k) {
      const float y = at.y + pad + line * float(k);
      all[k].sign({at.x + pad, y + ImGui::GetTextLineHeight() / 2}, sign);
      draw_.AddText({at.x + pad + sign + gap, y}, ImGui::GetColorU32(ImGuiCol_Text), all[k].text.c_str());
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
