#pragma once
// Adapts the edits of a run to its scene after a reload.

#include <optional>
#include <string>
#include <vector>

#include "torsor/run/timeline.hpp"

namespace torsor::editor {

struct Scene;

// Adapts edits of one scene to another version of it. Joints, frames and controls are matched by
// name. Steps are matched by time if dt has changed.
class EditFit {
 public:
  EditFit(const Scene& before, const Scene& after);

  // Returns the edits that still fit, in order. Omits changes that the old scene itself defines.
  // Adds the reasons for dropped edits to misfits().
  std::vector<Change> fit(const std::vector<Change>& changes);
  // Returns the step of the new scene at the time of a step of the old scene.
  long long step(long long before) const;
  // Returns one line for each edit that was dropped or cut short: "torque at t = 0.4 s: there is no
  // joint 'elbow'".
  const std::vector<std::string>& misfits() const { return misfits_; }

 private:
  using Numbers = std::vector<double>;
  struct SharedJoint {
    int q_before, v_before, q_after, v_after, n_q, n_v;
  };

  std::optional<Change::What> fitted(const Change& change);
  void drop(const Change& change, const std::string& why);
  std::optional<Change::What> fitted(const Change& change, const StateChange& state);
  std::optional<Change::What> fitted(const Change& change, const TorqueChange& torque);
  std::optional<Change::What> fitted(const Change& change, const SolverChange& solver);
  std::optional<Change::What> fitted(const Change& change, const ConstraintSolverChange& solver);
  std::optional<Change::What> fitted(const Change& change, const PullChange& pull);
  std::optional<Change::What> fitted(const Change& change, const ParameterChange& parameters);
  bool has_joint_for(const Change& change);

  const Scene &before_, &after_;
  std::vector<SharedJoint> shared_;
  std::string missing_;  // names of joints that the new scene does not have, quoted
  std::vector<std::string> misfits_;
};

}  // namespace torsor::editor
