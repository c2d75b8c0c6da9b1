#pragma once
// Derivatives of the equations of motion at a moment, by solvers that offer them.

#include "editor/session/answer.hpp"
#include "torsor/dynamics/solver.hpp"

namespace torsor::editor {

enum class MomentDerivative { tau_dot, tau_ddot, M_dot, C_dot, g_dot, dtau_dq, dtau_dv, dvdot_dq, dvdot_dv };

// What a solver is to offer for one.
enum class Offer { rates, equation_rates, partials };
Offer needed(MomentDerivative what);
const char* name(Offer offer);  // "rates of torques"
bool offers(const Solver& solver, Offer offer);
// Whether the host derives it from what the solver offers.
bool is_derived(const Solver& solver, MomentDerivative what);

// At vdot [n_v] and the tau [n_v] that gives it, from a solver that offers it. By time along the motion on which vdot stays as it is, and
// so do wrenches in the axes of their bodies: [n_v], or [n_v * n_v] by rows. Partial ones [n_v * n_v] by rows, along the columns of q in
// tangent coordinates.
Answer derivative(Solver& solver, const State& state, MomentDerivative what, const std::vector<double>& vdot,
                  const std::vector<double>& tau);

}  // namespace torsor::editor
