#pragma once

#include <memory>
#include <optional>
#include <string>

#include "editor/panels/explain/contact_source.hpp"
#include "editor/panels/panel.hpp"
#include "torsor/handles/tracer.hpp"

namespace torsor::editor {

struct ConstraintSolvers;
struct Scene;

// What the panel Explain shows: the recursion of a solver at the current state, step by step, or
// the step that computes the forces of the constraints, or of the contacts.
enum class Explained { recursion, constraints, contacts };

struct ExplainPanel final : Panel {
  static std::span<const Action> actions();
  void draw(Editor& editor) override;
  std::optional<std::vector<std::string>> candidates(Editor& editor, const Action& action,
                                                     std::string_view word,
                                                     const Arguments& before) override;

  void begin_frame(Editor& editor) override;

  // The last comparison of the constraint solvers at the constraints, and its scene.
  std::shared_ptr<const ConstraintSolvers> compared;
  std::weak_ptr<const Scene> compared_scene;

  ContactSource contacts;  // also for the view
  Explained subject = Explained::recursion;
  // Id of the explained solver. If it is "", the active solver. If that solver has no trace, the
  // first solver that has one.
  std::string solver;
  int step = 0;      // index in the recursion
  double next = -1;  // ImGui time of the next step during playback, s; < 0: paused
};

// The recursion at the current state and the displayed step.
struct ExplainedStep {
  const Tracer& tracer;
  TraceStep step;
};
// Returns the displayed step. Returns nullopt if no solver has a trace, or if the trace failed or
// has no steps.
std::optional<ExplainedStep> explained_step(Editor& editor);

}  // namespace torsor::editor
