#pragma once
// The dialog that asks whether a scene may load machine code, or read a file outside its folder.

#include <memory>
#include <string>

namespace torsor {
struct AccessRequest;
}  // namespace torsor

namespace torsor::editor {

class Editor;

struct TrustDialog {
  enum class Answer { once, file, folder, no };

  bool shown = false;
  std::shared_ptr<const AccessRequest> request;  // the missing permission of the last load, or null
};

// Shows the dialog after a load that lacked a permission. Hides it after any other load.
void follow_permission(Editor& editor);
// Answers the dialog and reloads the scene if something was allowed. The words are:
// - once: allow the file until the window closes
// - file: allow the file until it changes
// - folder: allow every file in its folder, now and later
// - no: allow nothing
// Throws Error if no dialog is shown, for another word, and if the answer cannot be saved.
void answer_trust(Editor& editor, const std::string& word);
void draw_trust_dialog(Editor& editor);

}  // namespace torsor::editor
