#pragma once
// A spring by which a user pulls a point of a frame's body.

#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

// Returns a spring and damper that pull a point of a frame (point_F, m, in frame axes) to a point
// of the world (target_W, m). m is the effective mass of the point at the state of the simulation,
// averaged over all directions:
//   1/m = trace(J W J^T) / 3,   J [3 x n_v]: pdot = J v
// W is the inverse mass matrix of the motions that closures, mimic joints and prescribed joints
// allow (mobility.hpp); it is M^-1 if there are none.
// The spring moves this mass as a critically damped oscillator of 2 Hz, or less if the steps are
// long:
//   k = m w^2,  c = 2 m w,  w = min(2 pi 2 Hz, 0.2 / dt)
// The solver must be prepared for the simulation's model. Throws Error if the point cannot move or
// M is singular.
Pull make_pull(const Simulation& simulation, Solver& solver, const std::string& frame,
               const Vec3<double>& point_F, const Vec3<double>& target_W);

}  // namespace torsor::editor
