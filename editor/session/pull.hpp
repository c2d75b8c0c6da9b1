#pragma once
// A spring by which a user pulls a point of a frame's body.

#include "torsor/simulation/simulation.hpp"

namespace torsor::editor {

// Where the simulation stands, m is the inertia that the point shows a force, on average over its
// directions,
//   1/m = trace(J M^-1 J^T) / 3,   J [3 x n_v]: pdot = J v
// and the spring moves it as one degree of freedom of 2 Hz with critical damping would, or slower
// where steps are long:
//   k = m w^2,  c = 2 m w,  w = min(2 pi 2 Hz, 0.2 / dt)
// solver: prepared for the simulation's model. Throws Error where no joint moves the frame, and
// where M is singular.
Pull make_pull(const Simulation& simulation, Solver& solver, const std::string& frame,
               const Vec3<double>& point_F, const Vec3<double>& target_W);

}  // namespace torsor::editor
