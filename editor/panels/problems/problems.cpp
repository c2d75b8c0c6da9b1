// The problems panel: messages of the scene, its checks, the plugins and the run.

#include "editor/panels/problems/problems.hpp"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "editor/app/editor.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/support/openable_file.hpp"
#include "editor/widgets/widgets.hpp"
#include "torsor/base/error.hpp"

namespace torsor::editor {

namespace {

constexpr struct {
  const char *name, *one;
  Shade shade;
} problem_kinds[] = {{"errors", "error", Shade::error},
                     {"warnings", "warning", Shade::warning},
                     {"notes", "note", Shade::dim}};

bool& shown_kind(Editor& editor, const std::string& name) {
  for (size_t k = 0; k < std::size(problem_kinds); ++k)
    if (name == problem_kinds[k].name) return editor.panel<ProblemsPanel>().shown[k];
  throw Error(fmt::format("there is no kind '{}'; use errors, warnings or notes", name));
}

void filter(Editor& editor, const Arguments& arguments) {
  bool& shown = shown_kind(editor, arguments.text(0, "errors|warnings|notes"));
  shown = arguments.size() > 1 ? arguments.flag(1, "on|off") : !shown;
}

const Problem& problem_at(const Editor& editor, const Arguments& arguments) {
  const std::vector<Problem>& problems = *editor.now->problems;
  const double index = arguments.number(1, "INDEX");
  if (!(index >= 1 && index <= double(problems.size()) && index == double(size_t(index))))
    throw Error(
        fmt::format("there is no problem {}; there are {} problems", index, problems.size()));
  return problems[size_t(index) - 1];
}

// Copies all problems, or the text or the place of one problem. INDEX counts from 1, the oldest
// problem.
void copy_problem(Editor& editor, const Arguments& arguments) {
  const std::string& what = arguments.text(0, "WHAT");
  std::string text;
  if (what == "all") {
    for (const Problem& problem : *editor.now->problems) text += problem.text + "\n";
  } else if (what == "text") {
    text = problem_at(editor, arguments).text;
  } else if (what == "place") {
    text = place_of(problem_at(editor, arguments).text);
    if (text.empty()) throw Error("this problem has no file and line to copy");
  } else {
    throw Error(fmt::format("WHAT is '{}'; use all, text or place", what));
  }
  ImGui::SetClipboardText(text.c_str());
}

constexpr Action problems_action_rows[] = {
    {"problems.clear", "Clear the list of problems", "",
     [](Editor& e, const Arguments&) { e.session.post(command::ClearProblems{}); }},
    {"problems.filter", "Show or hide a kind of problem", "errors|warnings|notes [on|off]", filter},
    {"problems.copy", "Copy all problems, or the text or the file:line of one problem",
     "all|text|place INDEX", copy_problem},
};

// Draws a button for each kind, with the number of its problems. A click shows or hides the kind.
void kind_filters(Editor& editor, const std::vector<Problem>& problems) {
  for (size_t k = 0; k < std::size(problem_kinds); ++k) {
    const auto& [name, one, shade] = problem_kinds[k];
    const auto n = std::ranges::count(problems, Problem::Kind(k), &Problem::kind);
    ImGui::PushStyleColor(ImGuiCol_Text, color(n > 0 ? shade : Shade::dim));
    action_toggle(editor, fmt::format("{} {}", n, n == 1 ? one : name).c_str(),
                  editor.panel<ProblemsPanel>().shown[k], "problems.filter",
                  {name, editor.panel<ProblemsPanel>().shown[k] ? "off" : "on"});
    ImGui::PopStyleColor();
    ImGui::SameLine();
  }
}

void draw_problem(Editor& editor, size_t k, const Problem& problem) {
  const std::string_view place = place_of(problem.text);
  ImGui::PushID(int(k));
  const float bar = scaled(3), x = ImGui::GetCursorPosX();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::SetCursorPosX(x + 3 * bar);
  ImGui::BeginGroup();
  if (!place.empty()) draw_place(place);
  draw_wrapped_text(message_of(problem.text));
  ImGui::EndGroup();
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + bar, ImGui::GetItemRectMax().y},
                                            color_u32(problem_kinds[size_t(problem.kind)].shade));
  if (ImGui::BeginPopupContextItem("menu")) {
    const std::string index = fmt::format("{}", k + 1);
    if (ImGui::MenuItem("Copy text")) try_action(editor, "problems.copy", {"text", index});
    if (ImGui::MenuItem("Copy file:line", nullptr, false, !place.empty()))
      try_action(editor, "problems.copy", {"place", index});
    ImGui::EndPopup();
  }
  ImGui::PopID();
}

}  // namespace

// A problem may also begin with the name of an action, as in "time.go: ...". The beginning is a
// place if it has a folder or one of these extensions, and no space.
std::string_view place_of(std::string_view problem) {
  const std::string_view place = problem.substr(0, problem.find(": "));
  if (place.size() == problem.size() || place.find(' ') != place.npos) return "";
  if (place.find('/') != place.npos) return place;
  const std::string_view file = place.substr(0, place.find(':'));
  for (const char* ending : {".so", ".json", ".png", ".mp4"})
    if (file.ends_with(ending)) return place;
  return can_be_opened(file) ? place : "";
}

std::string_view message_of(std::string_view problem) {
  const size_t place = place_of(problem).size();
  return problem.substr(place == 0 ? 0 : place + 2);
}

std::span<const Action> ProblemsPanel::actions() {
  return problems_action_rows;
}

void ProblemsPanel::draw(Editor& editor) {
  const std::vector<Problem>& problems = *editor.now->problems;
  if (problems.empty()) {
    dim_text("No problems.");
    return;
  }
  kind_filters(editor, problems);
  action_button(editor, "Copy all", "problems.copy", {"all"});
  ImGui::SameLine();
  action_button(editor, "Clear", "problems.clear");
  ImGui::BeginChild("lines");
  for (size_t k = problems.size(); k-- > 0;)  // latest first
    if (editor.panel<ProblemsPanel>().shown[size_t(problems[k].kind)])
      draw_problem(editor, k, problems[k]);
  ImGui::EndChild();
}

}  // namespace torsor::editor
