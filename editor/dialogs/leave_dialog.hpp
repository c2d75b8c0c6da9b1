#pragma once
// The dialog about unsaved work. It is shown before the scene is closed.

#include <filesystem>
#include <optional>

namespace torsor::editor {

class Editor;

struct OpenRequest {
  std::filesystem::path file;
  bool floating_base = false;
};

struct LeaveDialog {
  enum class Answer { save, keep, discard, cancel };

  bool shown = false;
  // The answer whose task is not complete yet; then the scene is closed.
  std::optional<Answer> waiting;
  // File to open instead of the scene; none: the window closes.
  std::optional<OpenRequest> next;
  long errors = 0;  // Moment::errors when waiting began
};

// Closes the scene, then closes the window or opens the next file. Asks first if a user is present
// and work would be lost.
void leave(Editor& editor, std::optional<OpenRequest> next);
void answer(Editor& editor, LeaveDialog::Answer answer);
// Answers by a key (GLFW number). Ignores other keys.
void answer_by_key(Editor& editor, int key);
// Closes the scene after its work is saved. Asks again if saving failed.
void follow_leaving(Editor& editor);
void draw_leave_dialog(Editor& editor);

}  // namespace torsor::editor
