#include "editor/view/legend.hpp"

#include <fmt/format.h>

#include <functional>

#include "editor/widgets/widgets.hpp"
#include "torsor/model/model.hpp"

namespace torsor::editor {

namespace {

class Legend {
 public:
  Legend(ImDrawList& draw, const ViewState& view, const Model& model)
      : draw_(draw), view_(view), model_(model), colors_(palette(theme_is_dark())) {
    const ViewToggles& on = view_.drawn;
    if (on.axes) line("Joint screw axis", colors_.axis);
    if (on.closures && !model_.closures.empty()) line("Closure of a loop", colors_.closure);
    if (on.link_frames || on.frames)
      triad(on.link_frames ? "Link frame: x, y, z" : "Named frame: x, y, z");
    if (on.com) centres();
    if (on.inertia) disc("Ellipsoid of equal inertia", colors_.inertia);
    if (on.wrenches && view_.drawing.applied)
      pair("Applied force, moment", colors_.force, colors_.moment);
    if (on.reactions)
      pair("Joint force, moment on the child link", colors_.reaction_force,
           colors_.reaction_moment);
    if (on.closure_wrenches && !model_.closures.empty())
      pair("Closure force, moment on its second link", colors_.reaction_force,
           colors_.reaction_moment);
    if (on.contacts && has_contacts(model_))
      pair("Contact force with its friction cone, moment", colors_.reaction_force,
           colors_.reaction_moment);
    if (on.twists)
      pair("Link velocity, angular velocity; world axes", colors_.velocity,
           colors_.angular_velocity);
    if (on.trail)
      for (const Trail& trail : view_.trails)
        if (!trail.points.empty())
          line(fmt::format("Trail of {}", model_.frames[size_t(trail.frame)].name), trail.color);
    if (on.reference && view_.references.any()) disc("Controller reference", colors_.reference);
    if (!view_.compared.empty()) disc(fmt::format("Run '{}'", view_.compared), colors_.reference);
  }

  void draw(ImVec2 at, ImVec2 size) const {
    if (rows_.empty()) return;
    const float sign = scaled(26), gap = scaled(8), pad = scaled(7);
    const float line = ImGui::GetTextLineHeightWithSpacing();
    float width = 0;
    for (const Row& row : rows_) width = std::max(width, ImGui::CalcTextSize(row.text.c_str()).x);
    width += sign + gap + 2 * pad;
    const float height = line * float(rows_.size()) + 2 * pad - scaled(3);
    if (height > 0.62f * size.y || width > 0.5f * size.x) return;
    const ImVec2 end{at.x + size.x - scaled(8), at.y + size.y - scaled(8)};
    const ImVec2 corner{end.x - width, end.y - height};
    ImVec4 plate = ImGui::GetStyle().Colors[ImGuiCol_WindowBg];
    plate.w = 0.88f;
    draw_.AddRectFilled(corner, end, ImGui::ColorConvertFloat4ToU32(plate), scaled(4));
    for (size_t k = 0; k < rows_.size(); ++k) {
      const float y = corner.y + pad + line * float(k);
      rows_[k].sign({corner.x + pad, y + ImGui::GetTextLineHeight() / 2}, sign);
      draw_.AddText({corner.x + pad + sign + gap, y}, ImGui::GetColorU32(ImGuiCol_Text),
                    rows_[k].text.c_str());
    }
  }

 private:
  struct Row {
    std::string text;
    std::function<void(ImVec2 at, float width)> sign;  // draws the symbol; at: its left end
  };

  static ImU32 ink(const Color& c) {
    return ImGui::ColorConvertFloat4ToU32({float(c.r), float(c.g), float(c.b), 1});
  }

  void line(std::string text, const Color& color) {
    rows_.push_back({std::move(text), [this, color](ImVec2 at, float width) {
                       draw_.AddLine(at, {at.x + width, at.y}, ink(color), scaled(2));
                     }});
  }
  void disc(std::string text, const Color& color) {
    rows_.push_back({std::move(text), [this, color](ImVec2 at, float width) {
                       draw_.AddCircleFilled({at.x + width / 2, at.y}, scaled(5), ink(color));
                     }});
  }
  void triad(std::string text) {
    rows_.push_back({std::move(text), [this](ImVec2 at, float width) {
                       const Color* colors[] = {&colors_.x, &colors_.y, &colors_.z};
                       for (int k = 0; k < 3; ++k)
                         draw_.AddLine({at.x + width * float(k) / 3, at.y},
                                       {at.x + width * float(k + 1) / 3, at.y}, ink(*colors[k]),
                                       scaled(2.4f));
                     }});
  }
  void centres() {
    rows_.push_back(
        {"Centre of mass: link, robot", [this](ImVec2 at, float width) {
           draw_center_of_mass(draw_, {at.x + width * 0.2f, at.y}, scaled(link_mark));
           draw_center_of_mass(draw_, {at.x + width * 0.72f, at.y}, scaled(robot_mark - 1));
         }});
  }
  // Adds a row with a straight and a curved arrow.
  void pair(std::string text, const Color& straight, const Color& turning) {
    rows_.push_back({std::move(text), [this, straight, turning](ImVec2 at, float width) {
                       const float tip = scaled(5), end = at.x + 0.5f * width;
                       draw_.AddLine(at, {end - tip, at.y}, ink(straight), scaled(2.4f));
                       draw_.AddTriangleFilled({end, at.y}, {end - tip, at.y - 0.6f * tip},
                                               {end - tip, at.y + 0.6f * tip}, ink(straight));
                       const float r = scaled(4.5f);
                       const ImVec2 center{at.x + width - r - scaled(1), at.y};
                       draw_.PathArcTo(center, r, 0, 4.712389f, 16);
                       draw_.PathStroke(ink(turning), ImDrawFlags_None, scaled(2));
                       draw_.AddTriangleFilled({center.x + 0.7f * tip, center.y - r},
                                               {center.x - 0.2f * tip, center.y - r - 0.6f * tip},
                                               {center.x - 0.2f * tip, center.y - r + 0.6f * tip},
                                               ink(turning));
                     }});
  }

  ImDrawList& draw_;
  const ViewState& view_;
  const Model& model_;
  const Palette colors_;
  std::vector<Row> rows_;
};

}  // namespace

void draw_center_of_mass(ImDrawList& draw, ImVec2 at, float radius) {
  constexpr float quarter = 1.57079633f;
  draw.AddCircleFilled(at, radius + scaled(1), ImGui::GetColorU32(ImGuiCol_Text));
  for (int k = 0; k < 4; ++k) {
    draw.PathLineTo(at);
    draw.PathArcTo(at, radius, quarter * float(k), quarter * float(k + 1), 8);
    draw.PathFillConvex(k % 2 ? IM_COL32(25, 27, 31, 255) : IM_COL32(250, 250, 250, 255));
  }
}

void draw_legend(ImDrawList& draw, const ViewState& view, const Model& model, ImVec2 at,
                 ImVec2 size) {
  if (view.toggles.legend) Legend(draw, view, model).draw(at, size);
}

}  // namespace torsor::editor
