#pragma once
// Messages of a session for its user.

#include <string>

namespace torsor::editor {

// A message for the user: an error, a warning or a note.
struct Problem {
  enum class Kind { error, warning, note } kind;
  std::string text;  // one line, "file:line: what" if there is a place
  // Subject of the message. The next successful load erases messages about a load. The next load,
  // successful or not, erases messages about a failed load.
  enum class Of { run, load, failed_load } of = Of::run;
  long number = 0;  // counted from 1 since the window was opened
};

}  // namespace torsor::editor
