#include "editor/dialogs/toasts.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <limits>

#include "editor/panels/problems/problems.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

using ProblemKind = Problem::Kind;

constexpr const char* window_name = "##toast ";
constexpr size_t most_drawn = 4;
constexpr float toast_width = 400, toast_margin = 8;  // at scale 1
constexpr ImGuiWindowFlags toast_flags =
    ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
    ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;

double seconds_shown(ProblemKind kind) {
  return kind == ProblemKind::error     ? std::numeric_limits<double>::infinity()
         : kind == ProblemKind::warning ? 15
                                        : 6;
}

Shade shade_of(ProblemKind kind) {
  return kind == ProblemKind::error     ? Shade::error
         : kind == ProblemKind::warning ? Shade::warning
                                        : Shade::good;
}

}  // namespace

bool is_toast(std::string_view window) {
  return window.starts_with(window_name);
}

void Toasts::follow(const SessionState& now, double time) {
  const std::vector<Problem>& problems = *now.problems;
  const auto is_solved = [&](const Problem& problem) {
    return problem.of == Problem::Of::failed_load &&
           std::ranges::find(problems, problem.number, &Problem::number) == problems.end();
  };
  std::erase_if(toasts_,
                [&](const Toast& toast) { return toast.until < time || is_solved(toast.problem); });
  for (const Problem& problem : problems) {
    if (problem.number <= seen_ ||
        (problem.kind != ProblemKind::error && problem.of != Problem::Of::run))
      continue;
    std::erase_if(toasts_, [&](const Toast& toast) { return toast.problem.text == problem.text; });
    toasts_.push_back({problem, time + seconds_shown(problem.kind)});
  }
  seen_ = now.reported;
}

void Toasts::dismiss(long number) {
  std::erase_if(toasts_, [&](const Toast& toast) { return toast.problem.number == number; });
}

// Draws a toast. Returns whether it is dismissed.
bool Toasts::draw_toast(Toast& toast, float& bottom) {
  const ImVec2 room = ImGui::GetMainViewport()->Size;
  const ImGuiStyle& style = ImGui::GetStyle();
  const float margin = scaled(toast_margin),
              width = std::min(scaled(toast_width), room.x - 2 * margin);
  const float bar = scaled(4), cross = ImGui::GetFrameHeight();
  const float text_width = width - 2 * style.WindowPadding.x - bar - cross;
  if (text_width < cross) return false;
  const auto height_of = [&](std::string_view part) {
    return ImGui::CalcTextSize(wrap_at_spaces(part, text_width).c_str()).y;
  };
  const std::string_view place = place_of(toast.problem.text);
  const std::string_view message = message_of(toast.problem.text);
  const float place_height = place.empty() ? 0 : height_of(place) + style.ItemSpacing.y;
  const float height = place_height + height_of(message) + 2 * style.WindowPadding.y;
  if (bottom - height < 0) return false;
  ImGui::SetNextWindowPos({room.x - margin - width, bottom - height});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleColor(ImGuiCol_WindowBg, ImGui::GetStyle().Colors[ImGuiCol_PopupBg]);
  ImGui::Begin(fmt::format("{}{}", window_name, toast.problem.number).c_str(), nullptr,
               toast_flags);
  ImGui::PopStyleColor();
  const ImVec2 at = ImGui::GetWindowPos();
  ImDrawList* draw = ImGui::GetWindowDrawList();
  draw->PushClipRect(at, {at.x + width, at.y + height});
  draw->AddRectFilled(at, {at.x + bar, at.y + height}, color_u32(shade_of(toast.problem.kind)));
  draw->PopClipRect();
  if (ImGui::IsWindowHovered()) toast.until = std::max(toast.until, ImGui::GetTime() + 2);
  ImGui::SetCursorPosX(style.WindowPadding.x + bar);
  ImGui::BeginGroup();
  if (!place.empty()) draw_place(place, text_width);
  draw_wrapped_text(message, text_width);
  ImGui::EndGroup();
  ImGui::SetCursorPos({width - cross - style.WindowPadding.x / 2, style.WindowPadding.y / 2});
  const bool dismissed = ImGui::Button("\u00d7", {cross, cross});
  tooltip("Dismiss");
  ImGui::End();
  bottom -= height + margin;
  return dismissed;
}

void Toasts::draw(float bottom) {
  bottom -= scaled(toast_margin);
  std::vector<long> dismissed;
  const size_t first = toasts_.size() - std::min(toasts_.size(), most_drawn);
  for (size_t k = toasts_.size(); k-- > first;)
    if (draw_toast(toasts_[k], bottom)) dismissed.push_back(toasts_[k].problem.number);
  for (const long number : dismissed) dismiss(number);
}

}  // namespace torsor::editor
