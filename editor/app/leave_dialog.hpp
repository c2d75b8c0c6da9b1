#pragma once
// The question about unsaved work, asked before the scene is closed.

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
  std::optional<Answer> waiting;  // for what it asked for; the scene is closed after it
  // File that takes the place of the scene; none: the window closes.
  std::optional<OpenRequest> next;
  long errors = 0;  // Moment::errors when the waiting began
};

// Closes the scene, and the window or opens the next file. Asks first if a user is at the window
// and work would be lost.
void leave(Editor& editor, std::optional<OpenRequest> next);
void answer(Editor& editor, LeaveDialog::Answer answer);
// Answers by a key of the keyboard, as GLFW numbers it; ignores other keys.
void answer_by_key(Editor& editor, int key);
// Closes the scene once its work is saved. Asks again if that failed.
void follow_leaving(Editor& editor);
void draw_leave_dialog(Editor& editor);

}  // namespace torsor::editor
