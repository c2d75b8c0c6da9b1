#pragma once
// The forces of contacts, and the wrenches that they exert on bodies.

#include <span>

#include "torsor/mechanics/state.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

// The force of a contact point; with time_stepping, its mean over a step. All vectors are in the
// axes of the world.
struct ContactForce {
  int a, b;               // indices of Model::colliders, a < b
  Vec3<double> p_W, n_W;  // the point in the middle of the step, m, and the normal from A to B
  double gap;             // m; negative if the shapes overlap
  double mu;              // coefficient of sliding friction
  Vec3<double> f_W, m_W;  // force and moment of A on B at the point, N and N m
  // Tangential velocity of B relative to A, m/s; with time_stepping, after the step
  Vec3<double> slip_W;
};

inline double normal_force(const ContactForce& contact) {
  return dot(contact.f_W, contact.n_W);
}
inline bool touches(const ContactForce& contact) {
  return normal_force(contact) > 0;
}

// Returns the pose of a body at the time of the state plus `ahead`, s. The body moves as in time
// stepping: its origin along a straight line, at a constant angular velocity. This is exact for a
// free body, and otherwise up to ahead^2 / 2 times an acceleration.
Pose<double> pose_ahead(const State& state, int body, double ahead);

// Adds the wrenches of contacts on the bodies, [n_body] at the body origins in body axes. ahead:
// the time from the state to the points of the contacts, s. The wrenches are in the axes of that
// time.
void add_contact_wrenches(const State& state, double ahead, std::span<const ContactForce> contacts,
                          std::span<Wrench<double>> F_B);

}  // namespace torsor
