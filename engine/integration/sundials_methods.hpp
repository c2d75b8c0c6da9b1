#pragma once
// The integrators of SUNDIALS: explicit and diagonally implicit Runge-Kutta methods of ARKODE, and
// the BDF of CVODE (Hindmarsh et al., ACM TOMS 31, 2005).

#include "torsor/integration/integrator.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_dormand_prince(const Tolerances& tolerances, System& system);
std::unique_ptr<Stepper> make_fehlberg(const Tolerances& tolerances, System& system);
std::unique_ptr<Stepper> make_dirk(const Tolerances& tolerances, System& system);
std::unique_ptr<Stepper> make_bdf(const Tolerances& tolerances, System& system);

}  // namespace torsor
