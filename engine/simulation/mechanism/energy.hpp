#pragma once
// The energy ledger of a run (energy_watch.hpp):
//   error = kinetic + potential + elastic energy - their initial sum - sum of all works

#include <memory>
#include <span>
#include <vector>

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

// A bound of the kinetic energy of a mechanism, from its velocities and positions alone:
//
//   E_i = 1/2 V_i^T M_i V_i,   |E_i| <= I_i w_i^2 + 2 h_i w_i u_i + m_i u_i^2
//
// I_i, h_i and m_i are sums of the absolute entries of M_i. w_i and u_i bound the angular and the
// linear part of the twist V_i if no entry of v exceeds s. A pose keeps the length of a vector, so
//   w_i = w_p + s sum_k |S_k,w|,   u_i = u_p + |p_i| w_p + s sum_k |S_k,v|
// where p is the parent of i. The bound therefore is k s^2. |p_i| is constant or, for joints that
// slide, limited by the positions. Most states prove in this way, without their poses, that the
// energy is far from overflow.
class KineticBound {
 public:
  // models: all models of a run.
  KineticBound(const std::vector<std::shared_ptr<const Model>>& models, const Mechanism& mechanism);

  // Returns true if the kinetic energy is certainly less than 1e300 J. Returns false if it may be
  // larger or if a number is not finite.
  bool is_small(std::span<const double> q, std::span<const double> v,
                std::span<const double> motor_v) const;

 private:
  static constexpr double most_position = 1e6;  // m or rad; larger positions prove nothing
  double factor_ = 0;                           // k, kg m^2
};

// Returns the error of the energy ledger, J.
double ledger_error(const Energy& energy, const Snapshot& snapshot);

}  // namespace torsor
