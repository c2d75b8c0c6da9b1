#pragma once
// The contacts of the next step, for the Explain panel and the view. They are computed once per
// state of the run, and only if they are asked for.

#include <memory>
#include <optional>

#include "editor/probe/probe.hpp"
#include "editor/support/background_job.hpp"

namespace torsor::editor {

struct Scene;

// Computes small models at once. Models with many dof are computed on a thread, and the contacts of
// the last completed state are returned until then.
class ContactSource {
 public:
  // Discards the results of other scenes than that of `now`.
  void look_at(const std::shared_ptr<const SessionState>& now);
  // Returns the contacts. Returns nullptr while none of this scene are complete. The pointer is
  // valid until the next call. The probe must be at the state of `now`.
  const ContactStep* step(const std::shared_ptr<const SessionState>& now, Probe& probe);
  // Compares the constraint solvers at the contacts of `now`.
  void compare(const std::shared_ptr<const SessionState>& now, Probe& probe);
  // Returns the last comparison of this scene, or nullptr.
  const ConstraintSolvers* compared(const std::shared_ptr<const SessionState>& now) const;
  bool is_comparing() const { return comparing_ != nullptr; }

 private:
  using Now = std::shared_ptr<const SessionState>;
  void take_result();
  void start(const Now& now, bool compare);

  Now shown_;  // the state of step_
  std::shared_ptr<const ContactStep> step_;
  std::shared_ptr<const ConstraintSolvers> compared_;
  std::weak_ptr<const Scene> compared_scene_;
  Now comparing_;  // the state of the comparison that is waiting or running; null: none

  // Members that the thread uses while it runs.
  Now request_;
  std::shared_ptr<const ContactStep> new_step_;
  std::shared_ptr<const ConstraintSolvers> new_comparison_;
  std::optional<Probe> probe_;
  // Declared last, so that its thread ends before the members above are destroyed.
  BackgroundJob job_;
};

}  // namespace torsor::editor
