// Stops a run whose energy or work is not finite, although positions and velocities still are. The
// kinetic energy overflows at velocities of about 1e154 m/s.

#include <fmt/format.h>

#include <cmath>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/motion.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

// Returns whether the kinetic energy and all works are finite. require_finite_energy() also checks
// the other energies, which cost more evaluations.
bool Simulation::has_finite_motion() {
  double sum = 0;
  for (const double work : now_.work) sum += std::abs(work);
  for (size_t m = 0; m < now_.motor_v.size(); ++m)
    sum += mechanism().motor_inertia[m] * now_.motor_v[m] * now_.motor_v[m];
  for (size_t k = 0; k < now_.v.size(); ++k) sum += model().armature[k] * now_.v[k] * now_.v[k];
  body_twists(state(), V_WB_B_);
  for (int i = 1; i < model().n_body; ++i)
    sum += dot(V_WB_B_[size_t(i)], model().inertia_B[size_t(i)] * V_WB_B_[size_t(i)]);
  return std::isfinite(sum);
}

// Returns a phrase such as "the kinetic energy is inf J" for the first energy or work that is not
// finite, or "".
std::string Simulation::infinite_energy() const {
  const Energy now = energy();
  const std::pair<const char*, double> energies[] = {
      {"kinetic", now.kinetic}, {"potential", now.potential}, {"elastic", now.elastic}};
  for (const auto& [kind, value] : energies)
    if (!std::isfinite(value)) return fmt::format("the {} energy is {} J", kind, std::abs(value));
  for (int k = 0; k < n_works; ++k)
    if (!std::isfinite(now_[Work(k)]))
      return fmt::format("the work of {} is {} J", name(Work(k)), std::abs(now_[Work(k)]));
  const double error = ledger_error();
  return std::isfinite(error)
             ? ""
             : fmt::format("the sum of energies and works is {} J", std::abs(error));
}

void Simulation::require_finite_energy() {
  const std::string what = infinite_energy();
  if (what.empty()) return;
  // A force that fails returns NaN as its energy. evaluate() then throws an Error that names this
  // force.
  if (std::isnan(motion_->kept_energy(now_))) evaluate();
  if (now_.step == 0)
    fail(what +
         ", which is not a finite number; check the masses, stiffnesses and velocities of the "
         "start");
  fail_moving(fmt::format("{}, which is not a finite number; {}", what, explain_divergence()));
}

// Returns to the previous step and throws Error if the step just made has no finite energy.
void Simulation::reject_infinite_motion() {
  if (has_finite_motion()) return;
  const std::string what = infinite_energy();
  std::swap(now_, next_);
  fail_moving(fmt::format("in the next step {}, which is not a finite number; {}",
                          what.empty() ? "the energy is inf J" : what, explain_divergence()));
}

}  // namespace torsor
