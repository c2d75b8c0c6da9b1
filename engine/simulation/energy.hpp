#pragma once
// The energy ledger: kinetic + potential + elastic - their sum at the start - all works = error, what the integrator makes of it.

#include "torsor/dynamics/state.hpp"
#include "torsor/simulation/mechanism.hpp"
#include "torsor/simulation/snapshot.hpp"

namespace torsor {

// J: of bodies and rotors; of bodies in the field of gravity; of the springs of joints and what forces keep.
struct Energy {
  double kinetic, potential, elastic;
  double sum() const { return kinetic + potential + elastic; }
};

// Without the forces of a load (Simulation::energy has them). state stands where the snapshot does. No allocation but what kinetic_energy() and potential_energy() need.
Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot);

double ledger_error(const Energy& energy, const Snapshot& snapshot);

}  // namespace torsor
