#pragma once
// Reads and writes changes = { .. } of world:experiment: the changes that take effect during the
// run. The editor writes them with scene.export.
//
//   { at = 0.5, q = {..}, v = {..} }   sets the state of the total model: q [n_q], v [n_v]
//   { at = 0.5, tau = {..} }           constant torques [n_v] from this time on
//   { at = 0.5, solver = "lie_group" }
//   { at = 0.5, pull = { frame =, point =, target =, stiffness =, damping = } }
//                                      spring from a point of the frame (m, in the frame) to a
//                                      target in the world, N/m and N s/m; false removes it
//   { at = 0.5, parameters = { ["arm.pid"] = { law = {..}, reference = {..} } } }
//                                      all parameters of controls, and of the trajectories that
//                                      they follow, that change at this time
//
// The times `at` (s) are whole numbers of steps, in ascending order. Changes after the end of the
// run are allowed but have no effect, because the editor may change the duration.

#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor::lua {

class TableReader;

// Reads the changes. Throws Error if a change is not valid. Does not check solvers and parameters
// of controls. The experiment must have its model and its dt.
std::vector<Change> read_changes(const TableReader& experiment, const Experiment& of);
// Checks the solvers and the parameters of controls in the changes. Throws Error in these cases:
// - The solver does not exist, or rejects the model (unless any_inertia is true).
// - The control does not exist.
// - The plugin rejects a parameter.
// The experiment must have its plugins and controls. source is its "file:line".
void check_changes(const Experiment& experiment, const std::string& source, bool any_inertia);

}  // namespace torsor::lua

namespace torsor {

// Returns the changes as Lua source, "changes = {...},". read_changes reads the same bits back.
std::string changes_text(const std::vector<Change>& changes, double dt);

}  // namespace torsor
