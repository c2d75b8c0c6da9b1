#include "torsor/simulation/sensors/sensor_instant.hpp"

#include <initializer_list>

#include "torsor/constraints/closure_wrenches.hpp"

namespace torsor {

namespace {

void write(std::initializer_list<Vec3<double>> vectors, std::span<double> out) {
  double* to = out.data();
  for (const Vec3<double>& each : vectors)
    for (const double value : {each.x, each.y, each.z}) *to++ = value;
}

// Calls f(contact, sign) for each contact of a link with anything else. sign: 1 if the force acts
// on the link, -1 if it acts on the other one.
template <class Function>
void each_contact(const Model& model, int link, std::span<const ContactForce> contacts,
                  const Function& f) {
  for (const ContactForce& contact : contacts) {
    const bool on_a = model.colliders[size_t(contact.a)].link == link,
               on_b = model.colliders[size_t(contact.b)].link == link;
    if (on_a != on_b) f(contact, on_b ? 1.0 : -1.0);
  }
}

}  // namespace

void SensorInstant::begin(const State& state, std::span<const double> vdot,
                          std::span<const Wrench<double>> F_A,
                          std::span<const ContactForce> contacts, double ahead) {
  state_ = &state;
  vdot_ = vdot;
  F_A_ = F_A;
  contacts_ = contacts;
  ahead_ = ahead;
  has_wrenches_ = false;
}

std::span<const Wrench<double>> SensorInstant::joint_wrenches() {
  if (has_wrenches_) return W_B_;
  has_wrenches_ = true;
  const size_t n = size_t(state_->model().n_body);
  F_B_.assign(state_->F_B().begin(), state_->F_B().end());
  add_contact_wrenches(*state_, ahead_, contacts_, F_B_);
  if (!F_A_.empty()) {
    const std::vector<Wrench<double>> of_closures = wrenches_on_bodies(*state_, F_A_);
    for (size_t i = 0; i < n; ++i) F_B_[i] = F_B_[i] + of_closures[i];
  }
  W_B_.resize(n);
  motions_.resize(n);
  torsor::joint_wrenches(*state_, vdot_, F_B_, motions_, W_B_);
  return W_B_;
}

void SensorInstant::evaluate(const RobotSensor& sensor, std::span<double> out) {
  const Model& model = state_->model();
  switch (sensor.kind) {
    case SensorKind::imu: {
      const auto [w, a] = inertial_measurement(*state_, vdot_, model.frames[size_t(sensor.frame)]);
      return write({w, a}, out);
    }
    case SensorKind::joint_wrench: {
      const Joint& joint = model.joints[size_t(sensor.joint)];
      const Wrench<double> F = sensor.frame < 0 ? at_link(*state_, joint, joint_wrenches())
                                                : at_frame(*state_, joint, joint_wrenches(),
                                                           model.frames[size_t(sensor.frame)]);
      return write({F.n, F.f}, out);
    }
    case SensorKind::touch: {
      double sum = 0;
      each_contact(model, sensor.link, contacts_,
                   [&](const ContactForce& contact, double) { sum += normal_force(contact); });
      out[0] = sum;
      return;
    }
    case SensorKind::contact_force: {
      Vec3<double> sum{0, 0, 0};
      each_contact(model, sensor.link, contacts_, [&](const ContactForce& contact, double sign) {
        sum = sum + sign * contact.f_W;
      });
      return write({sum}, out);
    }
  }
}

}  // namespace torsor
