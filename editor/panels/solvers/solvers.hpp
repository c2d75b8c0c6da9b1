#pragma once

#include <optional>
#include <string>

#include "editor/panels/panel.hpp"
#include "editor/plot/axis.hpp"
#include "torsor/handles/quantity.hpp"

namespace torsor::editor {

// The panel Solvers: disagreements between solvers, and the times of their calls.
struct SolversPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  bool history = false;  // true: show the history of the run; false: the current state
  Quantity timed = Quantity::forward;  // quantity whose call times the history shows
  // Zoomed ranges of the history, as exponents of ten. none: fitted.
  std::optional<Range> disagreement, time;
};

// Returns the initials of a solver for narrow columns: "AB" for "solver.articulated_body".
std::string initials(std::string_view id);
// Converts a time from ns to a string in microseconds: "0.512", "1.23", "12.3". It has three
// significant digits or all digits before the decimal point.
std::string microseconds_text(double ns);

}  // namespace torsor::editor
