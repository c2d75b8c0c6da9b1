#include "editor/app/time_strip.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "editor/app/editor.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

enum class Icon { to_start, step_back, play, pause, step };

// Draws a button with an icon. Its tooltip is the title of the action.
void icon_button(Editor& editor, Icon icon, const char* action) {
  const float side = ImGui::GetFrameHeight();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(action);
  if (ImGui::Button("##icon", {side * 1.5f, side})) try_action(editor, action);
  ImGui::PopID();
  action_tooltip(action);
  const ImVec2 end = ImGui::GetItemRectMax();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const ImU32 ink = ImGui::GetColorU32(ImGuiCol_Text);
  const float x = (at.x + end.x) / 2, y = (at.y + end.y) / 2, r = side * 0.26f;
  const auto triangle = [&](float from, float to) {
    draw->AddTriangleFilled({from, y - r}, {from, y + r}, {to, y}, ink);
  };
  const auto bar = [&](float center) {
    draw->AddRectFilled({center - r * 0.18f, y - r}, {center + r * 0.18f, y + r}, ink);
  };
  switch (icon) {
    case Icon::to_start:
      bar(x - r);
      triangle(x + r * 0.2f, x - r * 0.8f);
      triangle(x + r * 1.2f, x + r * 0.2f);
      break;
    case Icon::step_back:
      triangle(x + r * 0.4f, x - r);
      bar(x + r * 0.8f);
      break;
    case Icon::play:
      triangle(x - r * 0.7f, x + r);
      break;
    case Icon::pause:
      draw->AddRectFilled({x - r * 0.8f, y - r}, {x - r * 0.25f, y + r}, ink);
      draw->AddRectFilled({x + r * 0.25f, y - r}, {x + r * 0.8f, y + r}, ink);
      break;
    case Icon::step:
      bar(x - r * 0.8f);
      triangle(x - r * 0.4f, x + r);
      break;
  }
}

std::string speed_text(double speed) {
  return speed >= 1 ? fmt::format("{:g}x", speed) : fmt::format("1/{:g}x", 1 / speed);
}

void speed_choice(Editor& editor) {
  ImGui::SetNextItemWidth(scaled(76));
  if (ImGui::BeginCombo("##speed", speed_text(editor.now->speed).c_str(),
                        ImGuiComboFlags_HeightLargest)) {
    for (int k = -6; k <= 6; ++k) {
      const double speed = std::exp2(k);
      if (ImGui::Selectable(speed_text(speed).c_str(), speed == editor.now->speed))
        try_action(editor, "time.speed", {fmt::format("{}", speed)});
    }
    ImGui::EndCombo();
  }
  tooltip("Playback speed: simulated seconds per second  (Up, Down)");
}

// Draws the time line. The computed part is shaded, more strongly up to the current step. The
// current step is a line, and edits are marks. A click or drag goes to a step.
void time_line(Editor& editor) {
  const SessionState& now = *editor.now;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{ImGui::GetContentRegionAvail().x, ImGui::GetContentRegionAvail().y};
  if (size.x < 1 || size.y < 1) return;
  ImGui::InvisibleButton("time line", size);
  const double last = double(std::max({now.limit, now.timeline.end(), 1LL}));
  const auto x_of = [&](long long step) { return at.x + float(double(step) / last) * size.x; };
  if (ImGui::IsItemActive()) {
    const double part = std::clamp((ImGui::GetIO().MousePos.x - at.x) / size.x, 0.0f, 1.0f);
    const double seconds = std::round(part * last) * editor.dt();
    if (ImGui::IsItemActivated() || ImGui::GetIO().MouseDelta.x != 0)
      try_action(editor, "time.go", {fmt::format("{}", seconds)});
  }
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float top = at.y + size.y * 0.25f, bottom = at.y + size.y * 0.75f;
  draw->AddRectFilled({at.x, top}, {at.x + size.x, bottom}, ImGui::GetColorU32(ImGuiCol_FrameBg),
                      scaled(3));
  const float first = x_of(now.timeline.step(0));  // greater than 0 after a plugin was rebuilt
  draw->AddRectFilled({first, top}, {x_of(now.timeline.end()), bottom},
                      color_u32(Shade::accent, 0.35f), scaled(3));
  draw->AddRectFilled({first, top}, {x_of(now.state.step), bottom}, color_u32(Shade::accent, 0.55f),
                      scaled(3));
  for (const Change& change : now.edits())
    draw->AddLine({x_of(change.step), at.y}, {x_of(change.step), bottom}, color_u32(Shade::warning),
                  scaled(2));
  const float x = x_of(now.state.step);
  draw->AddLine({x, at.y}, {x, at.y + size.y}, ImGui::GetColorU32(ImGuiCol_Text), scaled(2));
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive()) {
    const float part = std::clamp((ImGui::GetIO().MousePos.x - at.x) / size.x, 0.0f, 1.0f);
    tooltip(fmt::format("t = {:.4g} s{}", part * last * editor.dt(),
                        now.edits().empty() ? "" : "; the marks are edits"));
  }
}

std::string rate_text(const SessionState& now) {
  if (now.seeking) return "computing";
  if (!now.playing) return "paused";
  return fmt::format("{:.2f}x real time", now.real_time_factor);
}

}  // namespace

void draw_time_strip(Editor& editor) {
  const SessionState& now = *editor.now;
  if (!now.scene) {
    dim_text(now.task.empty() ? "no scene is loaded" : now.task);
    return;
  }
  icon_button(editor, Icon::to_start, "time.reset");
  ImGui::SameLine();
  icon_button(editor, Icon::step_back, "time.step_back");
  ImGui::SameLine();
  icon_button(editor, now.playing ? Icon::pause : Icon::play, "time.play");
  ImGui::SameLine();
  icon_button(editor, Icon::step, "time.step");
  ImGui::SameLine();
  speed_choice(editor);
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  // Use enough decimals to show a single step.
  const int decimals = std::clamp(int(std::ceil(-std::log10(editor.dt()) - 1e-9)), 3, 9);
  ImGui::Text("t = %.*f s", decimals, now.time());
  ImGui::SameLine();
  dim_text(fmt::format("of {:g} s", double(now.limit) * editor.dt()));
  ImGui::SameLine(0, scaled(18));
  dim_text(rate_text(now));
  if (now.scene->recording) {
    ImGui::SameLine(0, scaled(18));
    dim_text(fmt::format("recording of {} rows", now.timeline.size()));
  }
  const std::string facts =
      fmt::format("{}, {} at dt = {:g} s, UI {:.1f} ms", without_kind(now.solver()),
                  name(editor.scene().experiment.integrator), editor.dt(), editor.frame_ms);
  const float width = ImGui::CalcTextSize(facts.c_str()).x;
  ImGui::SameLine();
  const float room = ImGui::GetContentRegionAvail().x;
  if (room > width) {
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
    dim_text(facts);
  } else {
    ImGui::NewLine();
  }
  time_line(editor);
}

}  // namespace torsor::editor
