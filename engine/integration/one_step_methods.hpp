#pragma once
// The integrators that are written here; those of SUNDIALS are in sundials_methods.hpp.

#include "torsor/integration/integrator.hpp"

namespace torsor {

std::unique_ptr<Stepper> make_euler(System& system);
std::unique_ptr<Stepper> make_semi_implicit_euler(System& system);
std::unique_ptr<Stepper> make_rk4(System& system);

}  // namespace torsor
