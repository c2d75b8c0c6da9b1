#pragma once
// The dialog about unsaved work. It is shown before the scene is closed.

#include <filesystem>
#include <memory>
#include <optional>

namespace torsor::cli {
struct StudySample;
}

namespace torsor::editor {

class Editor;

struct OpenRequest {
  std::filesystem::path file;
  bool floating_base = false;
  std::shared_ptr<const cli::StudySample> sample = nullptr;  // that the scene repeats, or null
};

struct LeaveDialog {
  enum class Answer { save, keep, discard, cancel };

  bool shown = false;
  // The answer whose task is running. The scene is closed when the task has succeeded.
  std::optional<Answer> waiting;
  // File to open instead of the scene; none: the window closes.
  std::optional<OpenRequest> next;
  long errors = 0;  // SessionState::errors when waiting began
};

// Closes the scene, then opens the next file or, if there is none, closes the window. Asks first if
// a user is present and work would be lost. Does nothing while the task of an answer is running.
void leave(Editor& editor, std::optional<OpenRequest> next);
void answer(Editor& editor, LeaveDialog::Answer answer);
// Executes the answer that has this key (GLFW number). Enter is the same as S. Ignores other keys.
void answer_by_key(Editor& editor, int key);
// Closes the scene when the task of the answer has succeeded. Shows the question again if the task
// has failed.
void follow_leaving(Editor& editor);
void draw_leave_dialog(Editor& editor);

}  // namespace torsor::editor
