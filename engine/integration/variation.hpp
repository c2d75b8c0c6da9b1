#pragma once
// The derivative of a step, computed by the same integrator that makes the step.
//
// A system of n positions p and n velocities u, z = (p, u), depends on m parameters s. Examples are
// the state at the start of the step, and torques. The derivatives Z = dz/ds [2 n x m] satisfy
//
//   z' = f(z, s)   =>   Z' = f_z Z + f_s
//
// A Runge-Kutta method has the stages z_i = z + h sum_j a_ij f(z_j). By the chain rule, their
// derivatives with respect to s are
//
//   Z_i = Z + h sum_j a_ij (f_z(z_j) Z_j + f_s(z_j))
//
// These are the stages of the same method for Z, and z+ and Z+ are the same sums of stages. The
// step of semi_implicit_euler, u+ = u + h f_u, p+ = p + h u+, is differentiated in the same way.
// Each method therefore computes a step and its derivative if its system is the pair (z, Z). An
// adaptive method controls the errors of both. implicit_midpoint has a stepper of its own for
// pairs: it solves the nonlinear equation of the stage for z alone, and then a linear equation for
// Z.
//
// The pair is a system of n (1 + m) positions and as many velocities: [p, dp/ds] and [u, du/ds],
// matrices [n x (1 + m)] in column-major order.

#include "torsor/integration/integrator.hpp"

namespace torsor {

// Makes a stepper for a pair (z, Z) without memory and works, with m >= 2 n. Both systems must
// outlive the stepper. state: the system of z alone. Only implicit_midpoint uses it. dirk and bdf
// solve the equations of the complete pair, so the time of a step grows as (n m)^3.
std::unique_ptr<Stepper> make_pair_stepper(Integrator integrator, const Tolerances& tolerances,
                                           System& state, System& pair);

// Makes the stepper of implicit_midpoint for a pair: its row in the table of integrator.cpp.
std::unique_ptr<Stepper> make_midpoint_pair(System& state, System& pair);

}  // namespace torsor
