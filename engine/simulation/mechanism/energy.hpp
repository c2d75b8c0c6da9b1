#pragma once
// The energy ledger of a run (energy_watch.hpp):
//   error = kinetic + potential + elastic energy - their initial sum - sum of all works

#include "torsor/mechanics/state.hpp"
#include "torsor/simulation/mechanism/mechanism.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

// Energies, J.
// - kinetic: of bodies and rotors
// - potential: of bodies in gravity
// - elastic: of the springs of joints, of forces and of compliant contacts
struct Energy {
  double kinetic, potential, elastic;
  double sum() const { return kinetic + potential + elastic; }
};

// Memory for energy().
struct EnergyScratch {
  explicit EnergyScratch(const Model& model)
      : V_WB_B(size_t(model.n_body)), X_WB(size_t(model.n_body)) {}
  std::vector<Twist<double>> V_WB_B;
  std::vector<Pose<double>> X_WB;
};

// Returns the energies without those stored by forces and compliant contacts (Simulation::energy
// includes them). The q and v of the state must be those of the snapshot. The kinetic energy is NaN
// where a transmission is singular. The second form allocates only with transmissions that depend
// on q.
Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot);
Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot,
              EnergyScratch& scratch);

// Returns the error of the energy ledger, J.
double ledger_error(const Energy& energy, const Snapshot& snapshot);

}  // namespace torsor
