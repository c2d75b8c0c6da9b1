#pragma once

#include <optional>
#include <string>

#include "editor/panels/panel.hpp"
#include "torsor/handles/tracer.hpp"

namespace torsor::editor {

struct ExplainPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  // Id of a solver with a trace. "": the active solver if it has a trace, else the first solver
  // that has one.
  std::string solver;
  int step = 0;      // index in the recursion
  double next = -1;  // time of the next step on the window's clock in s; < 0: paused
};

// Returns the recursion at the current state and the displayed step. Returns nullopt if no solver
// has a trace, or if the trace failed.
struct ExplainedStep {
  const Tracer& tracer;
  TraceStep step;
};
std::optional<ExplainedStep> explained_step(Editor& editor);

}  // namespace torsor::editor
