#pragma once
// Formulae that solvers do not offer: poses and Jacobians of frames, energies, and the regressor.

#include "torsor/symbolic/formulae.hpp"

namespace torsor::symbolic {

// Computes X [n_frame][12]: X_WF of each frame, its rotation by rows, then its position.
EvaluateFormulae poses;
// Computes J [n_frame][6][n_v], angular rows first, in the axes of the frame (MK 15).
EvaluateFormulae jacobians;
// Computes the kinetic energy T with armatures, and the potential energy U, J, in a world at rest.
EvaluateFormulae energies;
// Computes Y [n_v][10 (n_body - 1)] with tau = Y pi, for m, m c, Ixx Iyy Izz Ixy Ixz Iyz of each
// moving body, about its origin. tau is without armatures and wrenches (KHALIL 9.3).
EvaluateFormulae regressor;

}  // namespace torsor::symbolic
