#pragma once
// The list of signals from which the user chooses what a plot shows.

namespace torsor::editor {

class Editor;

// Draws the button that lists all signals with a search field. With `curves`, a signal is added to
// plot k or removed from it, or gets a new plot (k = -1). With `abscissa`, a signal becomes the x
// axis of plot k.
enum class PickFor { curves, abscissa };
void signal_button(Editor& editor, const char* label, int k, PickFor what);

}  // namespace torsor::editor
