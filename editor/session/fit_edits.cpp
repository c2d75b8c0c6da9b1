#include "editor/session/fit_edits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/session/scene.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"
#include "torsor/host/registry.hpp"

namespace torsor::editor {

namespace {

const char* noun_of(const Change& change) {
  static constexpr const char* nouns[] = {"state", "torque",    "solver", "constraint solver",
                                          "pull",  "parameters"};
  static_assert(std::variant_size_v<Change::What> == std::size(nouns));
  return nouns[change.what.index()];
}

}  // namespace

EditFit::EditFit(const Scene& before, const Scene& after) : before_(before), after_(after) {
  for (const Joint& joint : before.model().joints) {
    const auto same = std::ranges::find_if(after.model().joints, [&](const Joint& other) {
      return other.name == joint.name && other.kind == joint.kind;
    });
    const JointTraits& kind = traits(joint.kind);
    if (same != after.model().joints.end())
      shared_.push_back(
          {joint.q_index, joint.v_index, same->q_index, same->v_index, kind.n_q, kind.n_v});
    else
      missing_ += fmt::format("{}'{}'", missing_.empty() ? "" : ", ", joint.name);
  }
}

long long EditFit::step(long long before) const {
  return std::llround(double(before) * (before_.experiment.dt / after_.experiment.dt));
}

std::vector<Change> EditFit::fit(const std::vector<Change>& changes) {
  std::vector<Change> out;
  for (const Change& change : changes) {
    const std::vector<Change>& own = before_.experiment.changes;
    if (std::ranges::find(own, change) != own.end()) continue;
    if (auto what = fitted(change)) out.push_back({step(change.step), *std::move(what)});
  }
  return out;
}

std::optional<Change::What> EditFit::fitted(const Change& change) {
  return std::visit([&](const auto& what) { return fitted(change, what); }, change.what);
}

void EditFit::drop(const Change& change, const std::string& why) {
  std::string line = fmt::format("{} at t = {:.6g} s: {}", noun_of(change),
                                 double(change.step) * before_.experiment.dt, why);
  if (std::ranges::find(misfits_, line) == misfits_.end()) misfits_.push_back(std::move(line));
}

// Reports missing joints. Returns whether any joint of the edit remains.
bool EditFit::has_joint_for(const Change& change) {
  if (!missing_.empty()) drop(change, fmt::format("joint {} was changed or removed", missing_));
  return !shared_.empty();
}

// Adapts a change of the state. New joints keep their initial values.
std::optional<Change::What> EditFit::fitted(const Change& change, const StateChange& state) {
  if (!has_joint_for(change)) return std::nullopt;
  try {
    (void)dofs_named(after_.model(), state.hold, "hold");
  } catch (const Error& error) {
    drop(change, error.what());
    return std::nullopt;
  }
  StateChange out{after_.experiment.q, after_.experiment.v, state.hold};
  out.v.resize(size_t(after_.model().n_v));
  for (const SharedJoint& joint : shared_) {
    std::copy_n(state.q.begin() + joint.q_before, joint.n_q, out.q.begin() + joint.q_after);
    std::copy_n(state.v.begin() + joint.v_before, joint.n_v, out.v.begin() + joint.v_after);
  }
  follow_mimics(after_.model(), out.q, out.v);
  return out;
}

std::optional<Change::What> EditFit::fitted(const Change& change, const TorqueChange& torque) {
  if (!has_joint_for(change)) return std::nullopt;
  TorqueChange out{after_.experiment.load.tau};
  out.tau.resize(size_t(after_.model().n_v));
  for (const SharedJoint& joint : shared_)
    std::copy_n(torque.tau.begin() + joint.v_before, joint.n_v, out.tau.begin() + joint.v_after);
  return out;
}

std::optional<Change::What> EditFit::fitted(const Change& change, const SolverChange& solver) {
  const auto same = std::ranges::find_if(after_.solvers, [&](const SolverChoice& choice) {
    return without_kind(choice.id) == without_kind(solver.solver);
  });
  if (same != after_.solvers.end() && same->rejection.empty()) return solver;
  drop(change, fmt::format("solver '{}' {}", solver.solver,
                           same == after_.solvers.end()
                               ? "does not exist"
                               : "does not support this model: " + same->rejection));
  return std::nullopt;
}

std::optional<Change::What> EditFit::fitted(const Change& change,
                                            const ConstraintSolverChange& solver) {
  const auto& [id, parameters] = solver.constraint_solver;
  try {
    (void)after_.plugins().make<ConstraintSolver>(id, after_.experiment.model, parameters);
  } catch (const Error& error) {
    drop(change, error.what());
    return std::nullopt;
  }
  return solver;
}

std::optional<Change::What> EditFit::fitted(const Change& change, const PullChange& pull) {
  const auto& frames = after_.model().frames;
  if (!pull.pull || std::ranges::find(frames, pull.pull->frame, &Frame::name) != frames.end())
    return pull;
  drop(change, fmt::format("the scene no longer has frame '{}'", pull.pull->frame));
  return std::nullopt;
}

std::optional<Change::What> EditFit::fitted(const Change& change,
                                            const ParameterChange& parameters) {
  ParameterChange out;
  for (const ControlParameters& each : parameters.controls) {
    const auto& controls = after_.experiment.load.controls;
    const bool is_there = std::ranges::any_of(controls, [&](const Control& control) {
      return full_name(after_.model(), control) == each.control;
    });
    if (is_there)
      out.controls.push_back(each);
    else
      drop(change, fmt::format("the scene no longer has control '{}'", each.control));
  }
  if (out.controls.empty() && !parameters.controls.empty()) return std::nullopt;
  return out;
}

}  // namespace torsor::editor
