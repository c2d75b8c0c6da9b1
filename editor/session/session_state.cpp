#include "editor/session/session_state.hpp"

#include "editor/session/scene.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::editor {

ConstraintSolverChoice Scene::constraint_solver(const std::string& id) const {
  const std::string& chosen = plugins().find<ConstraintSolver>(id).id;
  const ConstraintSolverChoice& own = experiment.constraint_solver;
  return without_kind(chosen) == without_kind(own.id) ? own : ConstraintSolverChoice{chosen};
}

const std::vector<Change>& SessionState::edits() const {
  return editable() ? timeline.changes() : scene->edits;
}

bool SessionState::editable() const {
  return !scene->recording;
}

double SessionState::time() const {
  return double(state.step) * scene->experiment.dt;
}

const std::string& SessionState::solver() const {
  const auto* change = timeline.active_change<SolverChange>(state.step);
  return change ? change->solver : scene->experiment.solver;
}

const ConstraintSolverChoice& SessionState::constraint_solver() const {
  const auto* change = timeline.active_change<ConstraintSolverChange>(state.step);
  return change ? change->constraint_solver : scene->experiment.constraint_solver;
}

const std::vector<double>& SessionState::torque() const {
  const auto* change = timeline.active_change<TorqueChange>(state.step);
  return change ? change->tau : scene->experiment.load.tau;
}

std::string last_error(const SessionState& now) {
  for (auto problem = now.problems->rbegin(); problem != now.problems->rend(); ++problem)
    if (problem->kind == Problem::Kind::error) return problem->text;
  return "";
}

}  // namespace torsor::editor
