#pragma once
// Guards: functions of the state whose fall below zero is an event. There is one for each friction
// and one for each stop (Mechanism):
//   slipping friction   the rate in the direction of slipping
//   sticking friction   the margin between the maximum static friction and the present friction
//   open stop           the distance to the stop
//   closed stop         the force with which the stop pushes
// Frictions and stops may be redundant, such as those of a joint and of a joint that mimics it. The
// individual constraint forces are then undetermined. The guard of a sticking friction is then
// above zero as long as some set of forces within all bounds satisfies the constraints.
//
// Contact points follow, with one guard each (ContactModes):
//   separate   the gap, with a margin
//   sticks     the smaller one of the normal force, and of the margin of friction
//   slides     the smaller one of the normal force, and of the slip velocity along its direction
// If the forces of the points are undetermined, the guards of all points that touch are above zero
// as long as some forces that obey the laws of contact keep them as they are.

#include "torsor/simulation/motion.hpp"

namespace torsor {

class Guards {
 public:
  explicit Guards(Motion& motion) : motion_(motion) {}

  size_t size() const { return motion_.n_guards(); }
  // Writes the guards [size] at the state z. Returns false if the motion cannot be evaluated; see
  // Motion::failure().
  bool evaluate(double t, const double* z, std::span<double> g);
  // Writes the rates of change of the distances to the stops and of the gaps of contact points,
  // [stops + points], at the state z of the last evaluate().
  void approach(const double* z, std::span<double> rates) const;

 private:
  double shared_margin();
  void evaluate_contacts(std::span<double> g);

  Motion& motion_;
  std::vector<double> zdot_;
};

// Relative margin by which a force must exceed the static friction F_s before the friction breaks
// away. The margin covers the rounding differences between two ways of computing the force. Without
// it, a guard could reverse a mode decision immediately.
constexpr double static_friction_margin = 1e-12;
// The overlap of contact points, m, at which they strike. The margin covers the rounding errors of
// poses. Without it, points that begin to separate without a velocity could touch again at once.
constexpr double gap_margin = 1e-13;

}  // namespace torsor
