#pragma once
// The state of a simulation between two steps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace torsor {

// Works: energy added to the mechanism since the start, J. Energy that friction, damping and stops
// dissipate is negative.
//   motors           includes the drives of prescribed joints
//   forces, contact  of force plugins, without the energy that the plugins store
//   stops            includes the impacts of payloads that are attached
//   changes          changes of the state from outside, and energy added or removed with payloads
//   projection       changes of q and v that close the loops after a step
enum class Work : unsigned char {
  motors,
  friction,
  damping,
  wrenches,
  forces,
  contact,
  stops,
  changes,
  projection
};
// The first n_integrated_works works are integrals of a power.
inline constexpr int n_works = 9, n_integrated_works = 6;
const char* name(Work work);

// The complete state that changes from step to step. A run that continues from a restored snapshot
// is bit-identical to the original run.
struct Snapshot {
  long long step = 0;
  std::vector<double> q, v;
  // theta and theta_dot of the motors of elastic joints, in the order of their dof
  std::vector<double> motor_q, motor_v;
  // Bristle deflections of frictions, then the states of forces and controls
  std::vector<double> memory;
  // frictions: direction of slip -1 or 1, 0 if sticking; stops: 1 if closed, else 0; contact
  // points: ContactMode
  std::vector<double> modes;
  // Values stored by the sampled controls, [Controls::n_stored()]: torques, measurements, memory.
  // Then the samples of the sensors, [RobotSensors::n_stored()].
  std::vector<double> held;
  // Impulses of the contacts of the last step, from which the constraint solver starts (the layout
  // is that of ContactImpulses::store). With other integrators, the directions of slip of the
  // contact points (ContactModes)
  std::vector<double> contacts;
  std::array<double, n_works> work{};  // indexed by Work
  double energy_zero = 0;              // kinetic + potential + elastic energy at the start, J
  double next_step =
      0;  // next internal step of an adaptive integrator, s; 0: selected by the integrator

  double& operator[](Work w) { return work[size_t(w)]; }
  double operator[](Work w) const { return work[size_t(w)]; }

  // Exchanges two snapshots. std::swap would move every array three times.
  friend void swap(Snapshot& a, Snapshot& b) noexcept {
    std::swap(a.step, b.step);
    for (std::vector<double> Snapshot::*part :
         {&Snapshot::q, &Snapshot::v, &Snapshot::motor_q, &Snapshot::motor_v, &Snapshot::memory,
          &Snapshot::modes, &Snapshot::held, &Snapshot::contacts})
      (a.*part).swap(b.*part);
    a.work.swap(b.work);
    std::swap(a.energy_zero, b.energy_zero);
    std::swap(a.next_step, b.next_step);
  }

  // Calls f with each array in turn. Copying, hashing and storing use it.
  template <class Self, class Function>
  static void for_each_array(Self& self, Function f) {
    f(self.q), f(self.v), f(self.motor_q), f(self.motor_v), f(self.memory), f(self.modes),
        f(self.held), f(self.contacts);
    f(self.work);
  }
};

// Returns the FNV-1a hash of the step and of all arrays except the works, bit by bit.
uint64_t state_hash(const Snapshot& snapshot);

// Two hashes: one of the model with dt, one of the forces and controls. A run that continues from a
// snapshot is bit-identical only if both are the same.
struct Origin {
  uint64_t model, forces;
};

// Convert a snapshot with its origin to bytes, exactly, and back. from_bytes() requires `out` to
// have the right sizes. It throws Error for bytes that are damaged, not a saved state, or of
// another origin or other sizes. `out` is unchanged then.
std::vector<std::byte> to_bytes(const Snapshot& snapshot, const Origin& origin);
void from_bytes(std::span<const std::byte> bytes, const Origin& origin, Snapshot& out);
// Throws Error unless the bytes are a complete, undamaged saved state of any model.
void require_state(std::span<const std::byte> bytes);
// Returns the step number of a saved state. Throws Error if the bytes are not a saved state.
long long step_of(std::span<const std::byte> bytes);

}  // namespace torsor
