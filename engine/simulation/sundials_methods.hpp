#pragma once
// The integrators of SUNDIALS: ARKODE's explicit and diagonally implicit Runge-Kutta methods, CVODE's BDF (Hindmarsh et al.,
// ACM TOMS 31, 2005).

#include "torsor/simulation/integrator.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_runge_kutta(Integrator integrator, const Tolerances& tolerances,
                                          System& system);
std::unique_ptr<Stepper> make_bdf(const Tolerances& tolerances, System& system);

}  // namespace torsor
