#pragma once
// Reads and writes `changes = { .. }` of world:experiment, the list of changes that take effect
// during a run. The action scene.export of the editor writes this list.
//
//   { at = 0.5, q = {..}, v = {..} }   sets the state of the complete model: q [n_q], v [n_v];
//                                      hold = { joint, .. }: joints that keep these values when
//                                      loops are closed
//   { at = 0.5, tau = {..} }           sets constant torques [n_v], N m or N, from this time on
//   { at = 0.5, solver = "lie_group" }
//   { at = 0.5, constraint_solver = "NAME" }  or { "NAME", PARAMETER = value, .. }
//   { at = 0.5, pull = { frame =, point =, target =, stiffness =, damping = } }
//                                      attaches a spring (N/m, N s/m) between a point of the
//                                      frame (m, in the frame) and a target in the world (m);
//                                      pull = false removes the spring
//   { at = 0.5, parameters = { ["arm.pid"] = { law = {..}, reference = {..} } } }
//                                      changes parameters of controls (law) and of the
//                                      trajectories that the controls follow (reference)
//
// Each time `at` (s) is a whole number of steps. The times are in ascending order. Changes after
// the end of the run have no effect. They are allowed because the user may extend the run in the
// editor.

#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor::lua {

class TableReader;

// Reads the value of the key constraint_solver, "NAME" or { "NAME", PARAMETER = value, .. }, of the
// table at a stack index. The plugin and its parameters are not checked.
ConstraintSolverChoice read_constraint_solver(const TableReader& table, int index);
// Reads the changes. Throws Error if a change is not valid. Solvers and parameters are not
// checked here. The experiment must have its model and dt.
std::vector<Change> read_changes(const TableReader& experiment, const Experiment& of);
// Checks the solvers, constraint solvers and control parameters in the changes. The experiment must
// have its plugins and controls. source: the place of the experiment, "file:line". Throws Error in
// these cases:
// - A solver does not exist, or it rejects the model. The model is not checked if any_inertia is
//   true.
// - A constraint solver does not exist, or it rejects a parameter or the model.
// - A control does not exist.
// - A controller plugin or trajectory plugin rejects a parameter.
void check_changes(const Experiment& experiment, const std::string& source, bool any_inertia);

}  // namespace torsor::lua

namespace torsor {

// Returns the changes as Lua source, "changes = {...},". read_changes() reads exactly the same
// values from it.
std::string changes_text(const std::vector<Change>& changes, double dt);

}  // namespace torsor
