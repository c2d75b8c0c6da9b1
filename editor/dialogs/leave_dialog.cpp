#include "editor/dialogs/leave_dialog.hpp"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <utility>

#include "editor/app/editor.hpp"
#include "editor/session/scene.hpp"
#include "editor/session/session.hpp"
#include "editor/session/session_state.hpp"
#include "editor/widgets/widgets.hpp"

namespace torsor::editor {

namespace {

using LeaveAnswer = LeaveDialog::Answer;

void leave_now(Editor& editor) {
  LeaveDialog& dialog = editor.leave_dialog;
  dialog.shown = false;
  dialog.waiting.reset();
  if (dialog.next)
    editor.open_at_next_frame(*std::exchange(dialog.next, std::nullopt));
  else
    editor.quit = true;
}

struct Button {
  const char* label;
  int key;
  LeaveAnswer answer;
  const char* help;
};
constexpr Button buttons[] = {
    {"Save recording", GLFW_KEY_S, LeaveAnswer::save,
     "Write the run with its edits to a recording, then close the scene  (S)"},
    {"Keep for next time", GLFW_KEY_K, LeaveAnswer::keep,
     "Keep edits, forks and snapshots: they are restored when this scene is opened again  (K)"},
    {"Discard", GLFW_KEY_D, LeaveAnswer::discard, "Close the scene and lose this work  (D)"},
    {"Cancel", GLFW_KEY_ESCAPE, LeaveAnswer::cancel, "Go back to the scene  (Esc)"}};

bool is_offered(const Editor& editor, const Button& button) {
  return button.answer != LeaveAnswer::keep || editor.now->keeps_work;
}

void draw_question(Editor& editor) {
  const SessionState& now = *editor.now;
  const std::string file = now.scene->file.filename().string();
  draw_wrapped_text(fmt::format("{} has work that is not saved: {}.", file, text(now.unsaved)));
  ImGui::PushTextWrapPos();
  if (now.unsaved.forks + now.unsaved.snapshots > 0)
    dim_text(
        "A recording contains the active run with its edits, but no other forks and no snapshots.");
  ImGui::PopTextWrapPos();
  ImGui::Spacing();
  ImGui::Spacing();
  std::optional<LeaveAnswer> chosen;
  bool first = true;
  for (const Button& button : buttons) {
    if (!is_offered(editor, button)) continue;
    if (!first) continue_line(button_width(button.label), ImGui::GetStyle().ItemSpacing.x);
    first = false;
    if (ImGui::Button(button.label)) chosen = button.answer;
    tooltip(button.help);
  }
  if (chosen) answer(editor, *chosen);
}

}  // namespace

void leave(Editor& editor, std::optional<OpenRequest> next) {
  LeaveDialog& dialog = editor.leave_dialog;
  if (dialog.waiting) return;
  dialog.next = std::move(next);
  editor.help = editor.palette.shown = editor.open_dialog.shown = editor.export_dialog.shown =
      false;  // one overlay at a time
  if (!editor.attended || !editor.session.now()->unsaved.any()) return leave_now(editor);
  dialog.shown = true;
}

void answer(Editor& editor, LeaveDialog::Answer answer) {
  LeaveDialog& dialog = editor.leave_dialog;
  switch (answer) {
    case LeaveAnswer::save:
      editor.session.post(command::SaveRecording{"recordings"});
      break;
    case LeaveAnswer::keep:
      editor.session.post(command::KeepWork{});
      break;
    case LeaveAnswer::discard:
      return leave_now(editor);
    case LeaveAnswer::cancel:
      if (dialog.waiting) editor.session.stop();
      dialog = {};
      return;
  }
  dialog.waiting = answer;
  dialog.errors = editor.session.now()->errors;
}

void answer_by_key(Editor& editor, int key) {
  if (key == GLFW_KEY_ENTER) key = GLFW_KEY_S;
  for (const Button& button : buttons)
    if (button.key == key && is_offered(editor, button) &&
        (!editor.leave_dialog.waiting || button.answer == LeaveAnswer::cancel))
      return answer(editor, button.answer);
}

void follow_leaving(Editor& editor) {
  LeaveDialog& dialog = editor.leave_dialog;
  if (!dialog.waiting || !editor.session.idle()) return;
  const bool saves = std::exchange(dialog.waiting, std::nullopt) == LeaveAnswer::save;
  const auto now = editor.session.now();
  if (now->errors > dialog.errors || (saves && now->unsaved.edits > 0)) return;
  leave_now(editor);
}

void draw_leave_dialog(Editor& editor) {
  LeaveDialog& dialog = editor.leave_dialog;
  bool shown = dialog.shown;
  if (!begin_overlay("Unsaved work", shown, 470, 0)) {
    if (!shown && dialog.shown) answer(editor, LeaveAnswer::cancel);
    return;
  }
  if (dialog.waiting)
    dim_text(editor.now->task.empty() ? "saving ..." : editor.now->task);
  else
    draw_question(editor);
  ImGui::EndPopup();
}

}  // namespace torsor::editor
