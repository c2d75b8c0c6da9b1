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
  // The answer whose task is still running. The scene is closed when the task has succeeded.
  std::optional<Answer> waiting;
  // File to open instead of the scene; none: the window closes.
  std::optional<OpenRequest> next;
  long errors = 0;  // Moment::errors when waiting began
};

// Closes the scene, then closes the window or opens the next file. Asks first if a user is present
// and work would be lost.
void leave(Editor& editor, std::optional<OpenRequest> next);
void answer(Editor& editor, LeaveDialog::Answer answer);
// Chooses the answer that has this key (GLFW number). Ignores keys that no answer has.
void answer_by_key(Editor& editor, int key);
// Closes the scene when saving has succeeded. Shows the question again if it has failed.
void follow_leaving(Editor& editor);
void draw_leave_dialog(Editor& editor);

}  // namespace torsor::editor
