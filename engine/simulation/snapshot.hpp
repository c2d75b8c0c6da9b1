#pragma once
// The state of a simulation between two steps.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace torsor {

// Energy given to the mechanism since the start, J: what friction, damping and stops take is
// negative. motors: and what drives prescribed joints. forces and contact: of force plugins,
// without what these keep. stops: and the impacts of payloads that are attached. changes: of who
// changes the state, and what payloads bring and take away.
enum class Work : unsigned char {
  motors,
  friction,
  damping,
  wrenches,
  forces,
  contact,
  stops,
  changes
};
// The first ones are integrals of a power.
inline constexpr int n_works = 8, n_integrated_works = 6;
const char* name(Work work);

// All that changes from step to step: restoring one and stepping on gives the same bits.
struct Snapshot {
  long long step = 0;
  std::vector<double> q, v;
  // Theta, theta_dot of the motors of elastic joints, by column.
  std::vector<double> motor_q, motor_v;
  // Deflections of friction's bristles, then the states of forces.
  std::vector<double> memory;
  std::vector<double> modes;           // of frictions: -1, 0, 1; of stops: 0, 1 where closed
  std::vector<double> held;            // torques of sampled controls in turn, [controls * n_v]
  std::array<double, n_works> work{};  // by Work
  double energy_zero = 0;              // kinetic + potential + elastic energy at the start, J
  double next_step = 0;                // of an adaptive integrator, s; 0: its own choice

  double& operator[](Work w) { return work[size_t(w)]; }
  double operator[](Work w) const { return work[size_t(w)]; }

  // Each array in turn, for who copies, hashes or stores them all.
  template <class Self, class Function>
  static void for_each_array(Self& self, Function f) {
    f(self.q), f(self.v), f(self.motor_q), f(self.motor_v), f(self.memory), f(self.modes),
        f(self.held);
    f(self.work);
  }
};

// FNV-1a hash of the bits of step and all arrays but the works.
uint64_t state_hash(const Snapshot& snapshot);

// Hashes of the model with dt, and of the forces: a snapshot continues to the same bits where both
// are equal.
struct Origin {
  uint64_t model, forces;
};

// All of a snapshot, to the bit, with its origin. from_bytes() puts it into a snapshot of the right
// sizes; throws Error for other bytes, damaged ones, another origin or other sizes, and then leaves
// out as it was.
std::vector<std::byte> to_bytes(const Snapshot& snapshot, const Origin& origin);
void from_bytes(std::span<const std::byte> bytes, const Origin& origin, Snapshot& out);
// Throws Error unless these are the bytes of a saved state, complete and undamaged, of any model.
void require_state(std::span<const std::byte> bytes);
// The step that they are of. Throws Error for other bytes.
long long step_of(std::span<const std::byte> bytes);

}  // namespace torsor
