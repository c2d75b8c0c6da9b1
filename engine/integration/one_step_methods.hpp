#pragma once
// The integrators that are implemented in this library. sundials_methods.hpp declares those of
// SUNDIALS.

#include "torsor/integration/integrator.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_euler(System& system);
std::unique_ptr<Stepper> make_semi_implicit_euler(System& system);
std::unique_ptr<Stepper> make_rk4(System& system);
std::unique_ptr<Stepper> make_implicit_midpoint(System& system);

}  // namespace torsor
