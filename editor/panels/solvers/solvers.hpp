#pragma once

#include <optional>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/plot/axis.hpp"
#include "editor/session/solver_watch.hpp"

namespace torsor::editor {

struct SolversPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  bool history = false;                     // over the run, else the moment
  Quantity timed = Quantity::forward;       // whose times per call the history shows
  std::optional<Range> disagreement, time;  // zoomed values, powers of ten
};

// How solvers disagreed and what their calls took, over the run.
void draw_solver_history(Editor& editor, const SolverWatch& watch);

// "AB" of "solver.articulated_body": where there is no room for more.
std::string initials(std::string_view id);
// Three digits: "0.512", "1.23", "12.3"; all where there are more before the point.
std::string microseconds_text(double ns);

}  // namespace torsor::editor
