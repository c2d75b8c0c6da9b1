#pragma once
// Monitors a run for states whose results are meaningless although the energy ledger closes.
//
// The ledger compares the energy with the works of the same motion. It closes for any motor torque
// and any controller. For a torque that is constant over a step, it closes exactly. Four checks
// are independent of the ledger:
//
// 1. Turns. A joint turns by |omega| dt > pi in a step of fixed size dt. Inertia, gravity and
// forces have the period 2 pi in the joint's angle, so they are evaluated less than twice per
// period. Motions whose velocities differ by 2 pi / dt then have the same samples. Adaptive methods
// are exempt, because they select their own steps.
//
// 2. Speeds. The kinetic energy of a mass m at the speed v is
//     m c^2 ((1 - v^2/c^2)^(-1/2) - 1) = m v^2 / 2 (1 + 3/4 v^2/c^2 + ...),   c = 299792458 m/s
// The relative error of Newtonian mechanics therefore exceeds the tolerance of the energy if
//     v > c sqrt(4/3 tolerance)
// which is 1.1e7 m/s for a tolerance of 1e-3. v is the root mean square of the speeds in a body
// with the kinetic energy T: v^2 = 2 T / m. It is not zero for a body that only rotates.
//
// 3. Work of implicit_midpoint. This method evaluates force and velocity at the same midpoint, so
//     sum f_m . v_m dt = sum f_m . (x_1 - x_0) = change of the kinetic energy
// for every force and every dt. The ledger therefore closes for a force without potential energy,
// even if the steps do not resolve the force. The trapezoidal rule (P_0 + P_1) dt / 2 evaluates the
// power P at other states. Both rules agree to O(dt^2) for a power that is smooth over the steps,
// and to |dP| dt / 2 at a jump of P. If they differ by a tenth of the largest energy or work, the
// steps do not resolve a force. Motors with sampled controls are excluded: their power jumps at
// every sample, and their work is exact.
//
// 4. Contacts. The impulses of large piles may have a larger residual than 1e-6.

#include <array>
#include <string>
#include <vector>

#include "torsor/integration/integrator.hpp"
#include "torsor/signals/energy_watch.hpp"
#include "torsor/simulation/snapshot.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

class ResolutionWatch {
 public:
  // tolerance: relative error of the kinetic energy that is acceptable.
  ResolutionWatch(Integrator integrator, double tolerance);

  // Checks the present state. Must be called at the start and after each step.
  void look(Simulation& simulation);
  // Compares the works with the energies at the present state, which `energy` has seen. The
  // differences of works accumulate, so that this may be called more rarely than look().
  void compare_works(const Simulation& simulation, const EnergyWatch& energy);
  // Returns one line for each check that failed: the first failure, and what to change. The
  // simulation must be at the end of the run. A joint whose angle does not affect the
  // accelerations, such as that of a wheel, may turn at any speed.
  std::vector<std::string> warnings(Simulation& simulation) const;

 private:
  // The first time at which a check failed.
  struct Seen {
    int index = -1;  // index of a joint, body or work; -1 if the check never failed
    double value = 0, time = 0;
  };
  void check_turns(const Simulation& simulation);
  void check_speeds(const Simulation& simulation);
  void check_contacts(const Simulation& simulation);
  void add_work(Simulation& simulation);

  bool has_fixed_step_, balances_any_work_;
  double tolerance_;
  std::vector<Seen> turns_;  // [joints] value: angle in one step, rad
  // speed_: index of a body, and its speed in m/s. work_: index of a work, and the difference of
  // both rules in J.
  Seen speed_, work_;
  std::vector<Twist<double>> V_WB_B_;  // [bodies], for check_speeds()
  Seen contact_;                       // index: number of steps; value: the largest residual
  long long last_step_ = -1;
  // Values at the last check, indexed by Work: power, W; work, J; difference of both rules since
  // the start, J.
  std::array<double, n_integrated_works> power_{}, work_then_{}, difference_{};
};

}  // namespace torsor
