#pragma once
// Derivatives of the equations of motion at one state, from solvers that provide them.

#include "editor/probe/answer.hpp"
#include "torsor/handles/solver.hpp"

namespace torsor::editor {

enum class StateDerivative {
  tau_dot,
  tau_ddot,
  M_dot,
  C_dot,
  g_dot,
  dtau_dq,
  dtau_dv,
  dvdot_dq,
  dvdot_dv
};

// Groups of solver functions. Each derivative needs one group.
enum class Offer { rates, equation_rates, partials };
Offer needed(StateDerivative what);
const char* name(Offer offer);  // "torque rates"
bool offers(const Solver& solver, Offer offer);
// Returns whether the solver lacks a function of its own for this derivative, so that the host
// derives it from other functions.
bool is_derived(const Solver& solver, StateDerivative what);

// Returns a derivative at vdot [n_v] and the corresponding tau [n_v]. Time derivatives are [n_v],
// or [n_v * n_v] by rows. They follow the motion with constant vdot, and with wrenches that are
// constant in body axes. Partial derivatives are [n_v * n_v] by rows, with respect to the tangent
// coordinates of q.
Answer derivative(Solver& solver, const State& state, StateDerivative what,
                  const std::vector<double>& vdot, const std::vector<double>& tau);

}  // namespace torsor::editor
