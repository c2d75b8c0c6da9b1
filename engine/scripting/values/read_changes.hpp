#pragma once
// changes = { .. } of world:experiment: what is changed while the run goes on, as the editor writes
// it (scene.export).
//
//   { at = 0.5, q = {..}, v = {..} }       stands there with q [n_q] and v [n_v] of the whole model
//   { at = 0.5, tau = {..} }               constant torques [n_v] from here on
//   { at = 0.5, solver = "lie_group" }
//   { at = 0.5, pull = { frame =, point =, target =, stiffness =, damping = } }
//                                          a spring from a point of the frame (m, in it) to one of
//                                          the world, N/m and N s/m; false: let go
//   { at = 0.5, parameters = { ["arm.pid"] = { law = {..}, reference = {..} } } }
//                                          all parameters of controls, and of the trajectories they
//                                          follow, that are others from here on
//
// at: s, a whole number of steps, ascending. Those beyond the end of a run are not reached: it may
// be told to be shorter, or go on for longer in the editor.

#include <string>
#include <vector>

#include "torsor/run/experiment.hpp"

namespace torsor::lua {

class TableReader;

// Throws Error with what is wrong, but for solvers and parameters of controls. The experiment has
// its model and its dt.
std::vector<Change> read_changes(const TableReader& experiment, const Experiment& of);
// Throws Error for these: for solvers that are not there or, but where any inertia is let through,
// do not take the model; for controls that are not there, and for parameters that their plugins do
// not take. The experiment has its plugins and controls; source: "file:line" of it.
void check_changes(const Experiment& experiment, const std::string& source, bool any_inertia);

}  // namespace torsor::lua

namespace torsor {

// The same as Lua text, "changes = {...},": what read_changes reads to the same bits.
std::string changes_text(const std::vector<Change>& changes, double dt);

}  // namespace torsor
