#pragma once
// Time stepping at velocity level. A step of size h from the positions q and the rates u:
//   q_m = q + h/2 u                       drift
//   v_f = u + h a(q_m, u),  u+ = v_f + Y lambda           kick, with the impulses of all contacts
//   q+ = q_m + h/2 u+                     drift
// a includes the forces of all other constraints. Damping is evaluated at v_f, and the velocity in
// the Coriolis forces is that in the middle of the step, u + h a / 2. lambda follows from the laws
// of contact at q_m (contact_impulses.hpp). Impacts may be anywhere in the step, and any number of
// them at once, so the method has order 1 (Moreau 1988; Jean 1999). Without contacts and damping it
// is the method of Stoermer and Verlet, which has order 2 for forces that depend on q alone.
//
// During a drift, a floating or planar joint moves the origin of its body along a straight line,
// and turns it at a constant angular velocity. The components of u change with the axes of the
// body. Bodies thus fall along exact parabolas, however fast they spin.
//
// The works of forces are their powers at q_m and (u + u+) / 2, times h. The displacement is h
// times this mean, so that the ledger of constant forces and of contacts closes to rounding.

#include <memory>

#include "torsor/integration/one_step.hpp"
#include "torsor/simulation/mechanism/energy.hpp"
#include "torsor/simulation/steppers/contact_impulses.hpp"

namespace torsor {

class TimeStepping : public OneStep {
 public:
  explicit TimeStepping(Motion& motion);

  // Computes the contacts of a step h from a snapshot, and sets the mean force of their impulses in
  // the motion (Motion::set_contact_force). The state of the motion changes.
  [[nodiscard]] Status find_contacts(const Snapshot& at, double time, double h);
  // The contacts of the last step; null if no shapes can touch.
  ContactImpulses* contacts() const { return contacts_.get(); }
  // Returns the work of stops in the last step, J, if they are impulses.
  double stop_work() const { return stop_work_; }
  // Returns the duration of the last step, s.
  double last_step() const { return last_step_; }

 private:
  bool map(double h, std::span<double> z) override;
  bool correct_coriolis_forces(double h);
  double damping_correction(double h) const;
  void separate(double t, std::span<double> z);
  double energy_at(double t, std::span<const double> z);
  void drift(double h, double* d, double* u);

  Motion& motion_;
  SparseDelassus delassus_;
  std::unique_ptr<ContactImpulses> contacts_;
  EnergyScratch scratch_;
  Snapshot snapshot_;
  double last_step_ = 0, stop_work_ = 0;
  std::vector<double> start_;                                         // [layout]
  std::vector<double> before_drift_;                                  // [positions]
  std::vector<double> u_, after_, mean_, change_, force_, response_;  // [n_u]
};

}  // namespace torsor
