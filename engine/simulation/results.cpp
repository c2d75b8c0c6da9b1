// Values at the present state: energy, accelerations, torques and powers at the joints.

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/events/contact_forces.hpp"
#include "torsor/simulation/loop_assembly.hpp"
#include "torsor/simulation/simulation.hpp"
#include "torsor/simulation/steppers/time_stepping.hpp"

namespace torsor {

Energy Simulation::energy() const {
  Energy out = torsor::energy(state(), mechanism(), now_);
  out.elastic += motion_->kept_energy(now_);
  return out;
}

void Simulation::evaluate() {
  // The forces of contacts are those of the next step.
  if (steps_over_contacts()) require(time_stepping_->find_contacts(now_, time(), dt_));
  const Status status = motion_->accelerate(now_, time());
  motion_->set_contact_force({});
  require(status);
}

std::span<const double> Simulation::acceleration() {
  evaluate();
  return motion_->acceleration().first(size_t(model().n_v));
}

std::vector<Wrench<double>> Simulation::closure_wrenches() {
  evaluate();
  return evaluated_closure_wrenches(dt_);
}

// Returns the wrenches of closures after an evaluation of the motion. h: the duration of the step
// of time_stepping that determines the contacts, s.
std::vector<Wrench<double>> Simulation::evaluated_closure_wrenches(double h) {
  std::vector<double> force(motion_->constraint().begin(), motion_->constraint().end());
  if (steps_over_contacts()) {
    const std::span<const double> impulse = time_stepping_->contacts()->force_impulse();
    for (size_t i = 0; i < force.size(); ++i) force[i] -= impulse[i] / h;
  } else if (motion_->contacts() && motion_->contacts()->any_touching()) {
    const std::span<const double> of_contacts = motion_->contacts()->force();
    for (size_t i = 0; i < force.size(); ++i) force[i] -= of_contacts[i];
  }
  std::vector<Wrench<double>> out(model().closures.size());
  loops_->closure_wrenches(force, out);
  return out;
}

std::vector<ContactForce> Simulation::contact_forces(ContactProblem* problem) {
  if (problem) *problem = {};
  std::vector<ContactForce> out;
  if (motion_->contacts()) {
    evaluate();
    add_located_contacts(out);
  } else if (steps_over_contacts()) {
    ContactImpulses& at = *time_stepping_->contacts();
    struct Copying {
      ContactImpulses& of;
      ~Copying() { of.copy_problem_to(nullptr); }
    } copying{at};
    at.copy_problem_to(problem);
    require(time_stepping_->find_contacts(now_, time(), dt_));
    add_stepped_contacts(dt_, out);
    motion_->set_contact_force({});
  }
  if (has_contacts()) motion_->set_state(now_, time());
  return out;
}

// Adds the contacts of the last step h of time_stepping.
void Simulation::add_stepped_contacts(double h, std::vector<ContactForce>& out) const {
  const ContactImpulses& at = *time_stepping_->contacts();
  for (const ContactRow& row : at.points()) {
    const Contact& contact = at.contacts()[size_t(row.contact)];
    const ContactPoint& point = contact.points[size_t(row.point)];
    Vec3<double> slip{0, 0, 0};
    if (const int t = row.sliding; t >= 0)
      slip = at.rates()[size_t(t)] * row.t_W + at.rates()[size_t(t) + 1] * row.s_W;
    out.push_back({contact.a, contact.b, point.p_W, point.n_W, point.gap, row.material.mu,
                   (1 / h) * at.force_impulse(row), (1 / h) * at.moment_impulse(row), slip});
  }
}

// Adds the located contacts after an evaluation of the motion.
void Simulation::add_located_contacts(std::vector<ContactForce>& out) {
  ContactModes& contacts = *motion_->contacts();
  if (!contacts.any_touching()) return;
  std::vector<double> lambda(contacts.multipliers().begin(), contacts.multipliers().end());
  if (ContactForces forces(*motion_); contacts.redundant() && forces.are_possible())
    lambda.assign(forces.multipliers().begin(), forces.multipliers().end());
  for (size_t k = 0; k < contacts.touching().size(); ++k) {
    const size_t point = size_t(contacts.touching()[k]);
    const ContactRow& row = contacts.rows().points()[k];
    const FeatureContact& at = contacts.pairs()[point];
    const auto [a, b] = contacts.pairs().colliders(point);
    out.push_back({a,
                   b,
                   at.at.p_W,
                   at.at.n_W,
                   at.at.gap,
                   row.material.mu,
                   contacts.rows().force(row, lambda.data()),
                   {0, 0, 0},
                   at.slip()});
  }
}

// Returns the time from the points of the contacts of the last step to its end, s.
double Simulation::time_since_contacts() const {
  return steps_over_contacts() ? time_stepping_->last_step() / 2 : 0;
}

// Evaluates what sensors measure at a snapshot at time t. ahead: the time from t to the points of
// the contacts, s. With time_stepping, the contacts are those of the last step.
void Simulation::observe(const Snapshot& at, double t, double ahead) {
  require(motion_->accelerate(at, t));
  const std::span<const double> vdot = motion_->acceleration().first(size_t(model().n_v));
  sensed_vdot_.assign(vdot.begin(), vdot.end());
  const double h = steps_over_contacts() ? time_stepping_->last_step() : dt_;
  sensed_closures_.clear();
  if (!model().closures.empty()) sensed_closures_ = evaluated_closure_wrenches(h);
  sensed_contacts_.clear();
  if (steps_over_contacts()) add_stepped_contacts(h, sensed_contacts_);
  if (motion_->contacts()) add_located_contacts(sensed_contacts_);
  sensed_.begin(motion_->state(), sensed_vdot_, sensed_closures_, sensed_contacts_, ahead);
}

std::span<const double> Simulation::sensor_measured(size_t k) const {
  return sensors_.measured(k, std::span(now_.held).subspan(motion_->controls().n_stored()));
}

std::vector<double> Simulation::closure_errors() const {
  std::vector<double> out;
  for (size_t k = 0; k < motion_->closures().size(); ++k)
    out.push_back(motion_->closures().error(k));
  return out;
}

std::vector<ClosureGap> Simulation::closure_gaps() const {
  return motion_->closures().gaps();
}

std::span<const double> Simulation::torque() {
  return motion_->torque(time());
}

std::span<const double> Simulation::motor_torque() {
  const std::span<const double> tau = torque();
  motion_->transmissions().motor_torques(tau, motor_tau_);
  return motor_tau_;
}

// Equations: KHALIL 9.4.
std::span<const double> Simulation::motor_current() {
  (void)motor_torque();
  for (size_t c = 0; c < motor_tau_.size(); ++c) {
    const double K_T = motor_of_dof(model(), int(c)).torque_constant;
    motor_tau_[c] = K_T > 0 ? motor_tau_[c] / K_T : 0;
  }
  return motor_tau_;
}

std::span<const double> Simulation::motor_input() {
  (void)motor_current();
  for (size_t c = 0; c < motor_tau_.size(); ++c) {
    const double K_a = motor_of_dof(model(), int(c)).amplifier_gain;
    motor_tau_[c] = K_a > 0 ? motor_tau_[c] / K_a : 0;
  }
  return motor_tau_;
}

std::span<const double> Simulation::motor_voltage() {
  (void)motor_current();
  motion_->transmissions().motor_rates(motion_->motor_rates(), joint_tau_);
  for (size_t c = 0; c < motor_tau_.size(); ++c) {
    const Motor& motor = motor_of_dof(model(), int(c));
    motor_tau_[c] = motor.resistance > 0
                        ? motor.resistance * motor_tau_[c] + motor.torque_constant * joint_tau_[c]
                        : 0;
  }
  return motor_tau_;
}

bool Simulation::is_saturated(int dof) {
  const std::span<const double> tau = torque();
  return motion_->transmissions().is_saturated(dof, motion_->motor_rates(), tau);
}

std::span<const double> Simulation::friction() {
  evaluate();
  return motion_->friction().first(size_t(model().n_v));
}

std::span<const double> Simulation::constraint() {
  evaluate();
  return motion_->constraint().first(size_t(model().n_v));
}

std::span<const double> Simulation::joint_torque() {
  const std::span<const double> vdot = acceleration();
  for (size_t k = 0; k < joint_tau_.size(); ++k)
    joint_tau_[k] = motion_->pushed()[k] + motion_->constraint()[k];
  for (const auto& [i, j, inertia] : mechanism().armatures) {
    joint_tau_[size_t(i)] -= inertia * vdot[size_t(j)];
    joint_tau_[size_t(j)] -= inertia * vdot[size_t(i)];
  }
  std::fill(motor_tau_.begin(), motor_tau_.end(), 0.0);
  // pushed() already contains the Coriolis torques of the rotors.
  motion_->transmissions().add_rotor_inertia(vdot.data(), motor_tau_.data());
  for (size_t k = 0; k < joint_tau_.size(); ++k) joint_tau_[k] -= motor_tau_[k];
  return joint_tau_;
}

Wrench<double> Simulation::pull_F_W() const {
  const std::optional<Pull>& pull = load().pull;
  if (!pull) return {};
  const Frame& frame = model().frames[size_t(model().frame(pull->frame))];
  return wrench_F_W(*pull, frame_pose(state(), frame), frame_twist(state(), frame));
}

Controls::Given Simulation::given(size_t control) {
  const size_t first = size_t(mechanism().n_memory) + motion_->forces_n_x();
  return motion_->controls().given(control, {time(), now_.q, now_.v, now_.motor_q, now_.motor_v},
                                   now_.held, now_.memory.data() + first);
}

Controls::Seen Simulation::control_measured(size_t k) {
  return motion_->controls().measured(k, {time(), now_.q, now_.v, now_.motor_q, now_.motor_v},
                                      now_.held);
}

// Adds the torques of the rotors whose transmission depends on q. Their Coriolis torques are
// quadratic in v. The part that is quadratic in the rate of one joint is centrifugal.
void Simulation::split_rotors(const double* vdot, double* inertial, double* centrifugal,
                              double* coriolis) {
  if (mechanism().varying_dofs.empty()) return;
  Transmissions transmissions(motion_->model_ptr());
  transmissions.evaluate(now_.q, now_.v);
  transmissions.add_rotor_inertia(vdot, inertial);
  transmissions.add_rotor_coriolis(coriolis);
  const size_t n = now_.v.size();
  std::vector<double> v(n), own(n, 0.0);
  for (const int dof : mechanism().varying_dofs) {
    std::fill(v.begin(), v.end(), 0.0);
    v[size_t(dof)] = now_.v[size_t(dof)];
    transmissions.evaluate(now_.q, v);
    transmissions.add_rotor_coriolis(own.data());
  }
  for (size_t k = 0; k < n; ++k) centrifugal[k] += own[k], coriolis[k] -= own[k];
}

Simulation::TorqueSplit Simulation::torque_split() {
  const size_t n = size_t(model().n_v);
  const std::span<const double> vdot = acceleration();
  double* part = split_.data();
  require(motion_->solver().torque_split(state(), vdot.data(),
                                         {part, part + n, part + 2 * n, part + 3 * n}));
  for (const auto& [i, j, inertia] : mechanism().armatures) {
    part[i] += inertia * vdot[size_t(j)];
    part[j] += inertia * vdot[size_t(i)];
  }
  split_rotors(vdot.data(), part, part + n, part + 2 * n);
  return {{part, n}, {part + n, n}, {part + 2 * n, n}, {part + 3 * n, n}};
}

// Each power is a force times the rate along which it acts.
void Motion::joint_powers(std::span<double> motors, std::span<double> friction,
                          std::span<double> constraint) const {
  const size_t n = size_t(mechanism_.n_v);
  for (size_t c = 0; c < n; ++c) {
    motors[c] = tau_[c] * mechanism_.drive_ratio[c] * u_[size_t(mechanism_.driven[c])];
    friction[c] = -friction_[c] * u_[c];
    constraint[c] = constraint_[c] * u_[c];
  }
  for (size_t m = 0; m < mechanism_.motor_dof.size(); ++m) {
    const size_t c = size_t(mechanism_.motor_dof[m]);
    friction[c] -= friction_[n + m] * u_[n + m];
    constraint[c] += constraint_[n + m] * u_[n + m];
  }
  // The first index of a spring's row is the dof of the joint.
  for (const SpringElement& spring : mechanism_.springs) {
    const double rate = along(spring.row, u_.data());
    friction[size_t(spring.row[0].index)] -= spring.damping * rate * rate;
  }
}

Simulation::Powers Simulation::powers() {
  evaluate();
  const size_t n = size_t(model().n_v);
  const std::span<double> motors(powers_.data(), n), friction(powers_.data() + n, n),
      constraint(powers_.data() + 2 * n, n);
  motion_->joint_powers(motors, friction, constraint);
  return {motors, friction, constraint, motion_->powers()};
}

}  // namespace torsor
