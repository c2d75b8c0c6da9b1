#include "torsor/simulation/steppers/time_stepping.hpp"

#include <algorithm>

#include "torsor/model/collider.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor {

namespace {

void put(const JointTraits& kind, const Twist<double>& V, double* v) {
  for (const JointDof& dof : kind.dofs) *v++ = component(dof, V);
}

// Adds h omega x v for each joint with several dof: the acceleration of the origin of its body
// minus the rate of change of the components of its velocity v.
void add_turning(const Motion& motion, double h, std::span<const double> u, std::span<double> out) {
  const Model& model = motion.model();
  for (const auto& [i, kind] : model.mapped) {
    const int first = model.v_index[i];
    if (motion.prescribed().moves(first)) continue;
    const Twist<double> V = joint_twist(kind->dofs, u.data() + first);
    const Vec3<double> change = h * cross(V.w, V.v);
    for (int k = 0; k < kind->n_v; ++k)
      out[size_t(first + k)] += dot(kind->dofs[size_t(k)].S.v, change);
  }
}

// Expresses the rates of joints with several dof in the axes of their bodies after these are turned
// by the displacements dq.
void turn_axes(const Model& model, std::span<const double> dq, std::span<double> u) {
  for (const auto& [i, kind] : model.mapped) {
    const int first = model.v_index[i];
    const Mat3<double> R = exp_so3(joint_twist(kind->dofs, dq.data() + first).w);
    const Twist<double> V = joint_twist(kind->dofs, u.data() + first);
    put(*kind, {transpose_times(R, V.w), transpose_times(R, V.v)}, u.data() + first);
  }
}

}  // namespace

TimeStepping::TimeStepping(Motion& motion)
    : OneStep(motion, 2),
      motion_(motion),
      contacts_(has_contacts(motion.model()) ? std::make_unique<ContactImpulses>(motion) : nullptr),
      scratch_(motion.model()),
      start_(z_),
      before_drift_(size_t(layout_.velocities)),
      u_(size_t(motion.mechanism().n_u)),
      after_(u_),
      mean_(u_),
      change_(u_),
      force_(u_),
      response_(u_) {
  const Model& model = motion.model();
  snapshot_.q.resize(size_t(model.n_q));
  snapshot_.v.resize(size_t(model.n_v));
  snapshot_.motor_q.resize(u_.size() - snapshot_.v.size());
  snapshot_.motor_v = snapshot_.motor_q;
  snapshot_.memory.resize(size_t(layout_.memory));
}

// Moves the positions d in the chart along the rates u. The pose X_0 exp(D) of a joint with several
// dof becomes X_0 exp(D) T with T = (exp(h w), h v), in whose axes V = (w, v) is (w, T.R^T v). A
// prescribed twist is body-fixed: T = exp(h V).
void TimeStepping::drift(double h, double* d, double* u) {
  const Model& model = motion_.model();
  std::ranges::copy(std::span(d, size_t(layout_.velocities)), before_drift_.begin());
  for (int k = 0; k < layout_.velocities; ++k) d[k] += h * u[k];
  for (const auto& [i, kind] : model.mapped) {
    const int first = model.v_index[i];
    const bool prescribed = motion_.prescribed().moves(first);
    Twist<double> V = joint_twist(kind->dofs, u + first);
    const Pose<double> T = prescribed ? exp_se3(h * V) : Pose<double>{exp_so3(h * V.w), h * V.v},
                       X = exp_se3(joint_twist(kind->dofs, before_drift_.data() + first)) * T;
    const Vec3<double> turned = log_so3(X.R);
    put(*kind, {turned, left_jacobian_inverse(turned, X.p)}, d + first);
    if (prescribed) continue;
    V.v = transpose_times(T.R, V.v);
    put(*kind, V, u + first);
  }
}

// Replaces after_ = u + h a by the rates for Coriolis forces in the middle of the step.
bool TimeStepping::correct_coriolis_forces(double h) {
  std::ranges::copy(after_, mean_.begin());
  add_turning(motion_, h, u_, mean_);
  for (size_t i = 0; i < mean_.size(); ++i) mean_[i] = (u_[i] + mean_[i]) / 2;
  if (!motion_.coriolis_change(mean_, change_)) return false;
  delassus_.respond(change_, response_);
  for (size_t i = 0; i < after_.size(); ++i) after_[i] -= h * response_[i];
  add_turning(motion_, h, mean_, after_);
  return true;
}

bool TimeStepping::map(double h, std::span<double> z) {
  const int n = layout_.velocities;
  const double t_m = t0_ + h / 2;
  std::ranges::copy(z0_, z.begin());
  if (h == 0) return true;
  last_step_ = h;
  drift(h / 2, z.data(), z.data() + n);
  motion_.set_contact_force({});
  if (!rate(t_m, z.data(), h, 0)) return false;
  std::ranges::copy(motion_.rates(), u_.begin());
  for (size_t i = 0; i < u_.size(); ++i) after_[i] = u_[i] + h * k_[0][size_t(n) + i];
  if (!motion_.factor_inertia(h)) return false;
  delassus_.hold(motion_.inverse_inertia(), u_.size(), motion_.constraints());
  if (!correct_coriolis_forces(h)) return false;
  double contact_work = 0;
  stop_work_ = 0;
  bool overlaps = false;
  if (contacts_) {
    if (!contacts_->solve(h, delassus_, u_, after_)) return false;
    if (!contacts_->separate(h, delassus_, overlaps)) return false;
    contact_work = contacts_->work();
    stop_work_ = contacts_->stop_work();
    std::ranges::copy(contacts_->force_impulse(), force_.begin());
    for (double& each : force_) each /= h;
    motion_.set_contact_force(force_, contacts_->friction_forces());
  }
  for (int i = layout_.first_memory(); i < layout_.size(); ++i) z[i] += h * k_[0][size_t(i)];
  if (layout_.works > 0) {
    for (size_t i = 0; i < u_.size(); ++i) z[size_t(n) + i] = (u_[i] + after_[i]) / 2;
    if (!rate(t_m, z.data(), 0, 1)) return false;
    for (int i = layout_.first_work(); i < layout_.size(); ++i)
      z[i] = z0_[size_t(i)] + h * k_[1][size_t(i)];
    z[layout_.first_work() + int(Work::contact)] += contact_work;
    z[layout_.first_work() + int(Work::damping)] += damping_correction(h);
  }
  std::ranges::copy(after_, z.begin() + n);
  drift(h / 2, z.data(), z.data() + n);
  if (overlaps) separate(t0_ + h, z);
  return true;
}

// Damping D acts with the impulse -h D u+, also on the rates that contacts change, because M + h D
// replaces M. Its power is evaluated at the mean rates. The difference of both works is
//   -h D (u+ - (u + u+) / 2) (u + u+) / 2
double TimeStepping::damping_correction(double h) const {
  const Model& model = motion_.model();
  double sum = 0;
  for (size_t k = 0; k < model.damping.size(); ++k)
    sum += model.damping[k] * (after_[k] * after_[k] - u_[k] * u_[k]);
  return -h / 4 * sum;
}

// The work of the displacement is the change of the energy.
void TimeStepping::separate(double t, std::span<double> z) {
  const double before = energy_at(t, z);
  std::ranges::copy(contacts_->displacement(), change_.begin());
  turn_axes(motion_.model(), change_, z.subspan(size_t(layout_.velocities)));
  drift(1, z.data(), change_.data());
  double& work = contacts_->separates_shapes()
                     ? z[size_t(layout_.first_work()) + size_t(Work::contact)]
                     : stop_work_;
  work += energy_at(t, z) - before;
}

double TimeStepping::energy_at(double t, std::span<const double> z) {
  motion_.unpack(t, z, snapshot_);
  motion_.set_bodies(snapshot_);
  return energy(motion_.state(), motion_.mechanism(), snapshot_, scratch_).sum() +
         motion_.kept_energy(snapshot_);
}

Status TimeStepping::find_contacts(const Snapshot& at, double time, double h) {
  motion_.set_state(at, time);
  motion_.pack(at, start_);
  contacts_->start_from(at.contacts);
  start(time, start_, 0);
  return advance(time + h) ? Status{} : motion_.failure();
}

}  // namespace torsor
