#pragma once
// Identification from energies instead of torques (Gautier and Khalil 1988, "On the identification
// of the inertial parameters of robots"; "power model" of Gautier 1997). Between the times a and b,
// the energy E of the links and rotors changes by the work of the motors, less friction:
//   int_a^b v . tau dt = E(b) - E(a) + sum_j (Fv_j int s_j^2 dt + Fc_j int |s_j| dt)
// s_j is the rate of joint or motor j. The right side is linear in the parameters, and contains
// neither accelerations nor static friction. Every interval gives one equation, instead of one per
// joint and sample.

#include "torsor/identification/identify.hpp"

namespace torsor {

// Computes the row h [parameters] with E = h pi: kinetic energy of links and rotors, and potential
// energy in gravity, J per unit of the parameter. The entries of friction are 0.
Eigen::VectorXd energy_row(const LinearModel& linear, const State& state);

// Estimates the base parameters from the work in consecutive intervals. vdot of the motion is not
// used and may be empty. Identification::joints has one entry, "energy".
// - rate: number of samples per second, which must be evenly spaced
// - interval: number of samples of an interval; even, for Simpson's rule. 0: five intervals for
// each
//   parameter.
//
// Throws the errors of identify(). Throws Error if a joint reaches a stop, whose work is unknown.
Identification identify_energy(const std::shared_ptr<const Model>& model,
                               const Vec3<double>& gravity_W, const ParameterChoice& choice,
                               const MeasuredMotion& motion, double rate, size_t interval = 0);

}  // namespace torsor
