#pragma once

#include <optional>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/view/drawing.hpp"
#include "torsor/plugin/tracer.hpp"

namespace torsor::editor {

struct ExplainPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  // That explains itself; "": the one in force, where it does, else the first that does.
  std::string solver;
  int step = 0;      // of its recursion
  double next = -1;  // time of the next step on the window's clock, in s; < 0: paused
};

// The recursion of this moment, and the step that is shown; nothing where no solver explains
// itself, or it failed.
struct ExplainedStep {
  const Tracer& tracer;
  TraceStep step;
};
std::optional<ExplainedStep> explained_step(Editor& editor);

// For the view while the panel is in front: the body in question lit up, and the quantity there in
// place of other wrenches and motions.
bool is_explaining(const Editor& editor);
Highlight explained_highlight(Editor& editor, const Highlight& otherwise);
ViewToggles explained_toggles(const Editor& editor);
void add_explanation(Editor& editor, const Palette& palette, Drawing& drawing);

// The tree from the world to the tips, the body in question lit up, those filled where the pass has
// been. A click on one goes there.
void draw_explained_tree(Editor& editor, const ExplainedStep& at);

}  // namespace torsor::editor
