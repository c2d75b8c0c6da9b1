#pragma once
// The question whether a scene may load a plugin of machine code, or read a file outside its
// folder.

#include <memory>
#include <string>

#include "torsor/host/trust.hpp"

namespace torsor::editor {

class Editor;

struct TrustDialog {
  enum class Answer { once, file, folder, no };

  bool shown = false;
  std::shared_ptr<const AccessRequest> request;  // that the last load needed; null: none
};

// Asks when a load has ended that needed a permission.
void follow_permission(Editor& editor);
// Answers the question that is shown by the word of an answer, and loads the scene again if
// something was allowed. once: until the window closes; file: until the file changes; folder: every
// file in it, now and later; no: nothing. Throws Error if no question is shown, for another word,
// and if the answer cannot be remembered.
void answer_trust(Editor& editor, const std::string& word);
void draw_trust_dialog(Editor& editor);

}  // namespace torsor::editor
