#pragma once
// changes = { .. } of world:experiment: what is changed while the run goes on, as the editor writes it (scene.export).
//
//   { at = 0.5, q = {..}, v = {..} }       stands there with q [n_q] and v [n_v] of the whole model
//   { at = 0.5, tau = {..} }               constant torques [n_v] from here on
//   { at = 0.5, solver = "lie_group" }
//   { at = 0.5, pull = { frame =, point =, target =, stiffness =, damping = } }
//                                          a spring from a point of the frame (m, in it) to one of the world, N/m and N s/m; false: let go
//   { at = 0.5, parameters = { ["arm.pid"] = { law = {..}, reference = {..} } } }
//                                          all parameters of controls, and of the trajectories they follow, that are others from here on
//
// at: s, a whole number of steps, ascending.

#include <string>
#include <vector>

#include "torsor/simulation/experiment.hpp"

namespace torsor::lua {

class TableReader;

// Throws Error with what is wrong. The experiment has its model, its dt and its duration.
std::vector<Change> read_changes(const TableReader& experiment, const Experiment& of);

}  // namespace torsor::lua

namespace torsor {

// The same as Lua text, "changes = {...},": what read_changes reads to the same bits.
std::string changes_text(const std::vector<Change>& changes, double dt);

}  // namespace torsor
