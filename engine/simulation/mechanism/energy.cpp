#include "torsor/simulation/mechanism/energy.hpp"

#include <limits>
#include <numeric>

#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor {

Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot) {
  EnergyScratch scratch(state.model());
  return energy(state, mechanism, snapshot, scratch);
}

// Equations: KHALIL 7.34.
Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot,
              EnergyScratch& scratch) {
  Energy out{kinetic_energy(state, scratch.V_WB_B), potential_energy(state, scratch.X_WB), 0};
  for (size_t m = 0; m < snapshot.motor_v.size(); ++m)
    out.kinetic += 0.5 * mechanism.motor_inertia[m] * snapshot.motor_v[m] * snapshot.motor_v[m];
  for (const auto& [i, j, inertia] : mechanism.armatures)
    out.kinetic += inertia * state.v[size_t(i)] * state.v[size_t(j)];
  if (!mechanism.varying_dofs.empty()) {
    Transmissions transmissions(state.model_ptr());
    try {
      transmissions.evaluate(snapshot.q, snapshot.v);
      out.kinetic += transmissions.rotor_energy();
    } catch (const Error&) {
      out.kinetic = std::numeric_limits<double>::quiet_NaN();
    }
  }
  for (const auto& [row_a, row_b, stiffness] : mechanism.couplings)
    out.elastic += stiffness *
                   mechanism.position(row_a, snapshot.q.data(), snapshot.motor_q.data()) *
                   mechanism.position(row_b, snapshot.q.data(), snapshot.motor_q.data());
  for (const SpringElement& spring : mechanism.springs) {
    // k x^2 / 2 + k_3 x^4 / 4
    const double x =
        mechanism.position(spring.row, snapshot.q.data(), snapshot.motor_q.data()) - spring.rest;
    out.elastic += (0.5 * spring.stiffness + 0.25 * spring.cubic * x * x) * x * x;
  }
  return out;
}

double ledger_error(const Energy& energy, const Snapshot& snapshot) {
  return energy.sum() - snapshot.energy_zero -
         std::accumulate(snapshot.work.begin(), snapshot.work.end(), 0.0);
}

}  // namespace torsor
