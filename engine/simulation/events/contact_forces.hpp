#pragma once
// Forces of contact points that obey the laws of contact, where ContactModes leaves them
// undetermined, and the projection of a state onto the points that touch.

#include "torsor/simulation/events/contact_modes.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/motion.hpp"

namespace torsor {

// Relative accelerations below this part of their terms are rounding errors of constraint solvers.
inline constexpr double acceleration_rounding = 1e-9;

class ContactForces {
 public:
  explicit ContactForces(Motion& motion) : motion_(motion) {}

  // Returns whether forces within all bounds and friction cones keep all points that touch, and all
  // other active rows, as they are, after Motion::rate(). multipliers() are then such forces, in
  // the order of ContactModes::rows().
  bool are_possible();
  std::span<const double> multipliers() const { return multipliers_; }

 private:
  Motion& motion_;
  std::vector<double> multipliers_;
};

class ContactProjection {
 public:
  explicit ContactProjection(Motion& motion);

  // Changes q and v of a snapshot by the smallest amounts in the metric of M until the gaps of all
  // points that touch, their rates, and the slip velocities of points that stick are rounding
  // errors. Counts the change of energy as Work::projection. Afterwards, the directions of slip
  // are those of the slip velocities. The motion must be set to the modes of the snapshot. The
  // bodies are then at the snapshot.
  [[nodiscard]] Status project(Snapshot& at, double time);

 private:
  void update_directions(Snapshot& at) const;

  Motion& motion_;
  EnergyScratch scratch_;
  std::vector<double> u_, change_;
};

}  // namespace torsor
