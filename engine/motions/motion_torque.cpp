#include "torsor/motions/motion_torque.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

[[noreturn]] void reject(const std::string& owner, const Friction& law) {
  throw Error(fmt::format(
      "{} has {} friction, whose torque does not scale with time; give it Coulomb and viscous "
      "friction for this check",
      owner, name(law.law)));
}

void require_linear_friction(const Model& model) {
  for (int k = 0; k < model.n_v; ++k)
    if (const Friction* law = model.linear_friction(k).other_law)
      reject(fmt::format("joint '{}'", model.joint_of_dof(k).name), *law);
  for (const Transmission& group : model.transmissions)
    for (size_t m = 0; m < group.motors.size(); ++m) {
      const Friction& law = group.motors[m].friction;
      if (law.law != Friction::Law::none && law.law != Friction::Law::coulomb)
        reject(fmt::format("motor '{}'", model.joint_of_dof(group.dofs[m]).name), law);
    }
}

// Returns the direction of motion at the rate v, or that of `then` at rest: 1, -1, or 0.
double direction(double v, double then) {
  const double rate = v == 0 ? then : v;
  return double((rate > 0) - (rate < 0));
}

}  // namespace

MotionTorque::MotionTorque(std::shared_ptr<const Model> model, Solver& solver,
                           const Vec3<double>& gravity_W)
    : model_(std::move(model)),
      solver_(solver),
      state_(model_),
      transmissions_(model_),
      pose_springs_(pose_springs(*model_)),
      gravity_(size_t(model_->n_v)) {
  require_linear_friction(*model_);
  state_.set_gravity(gravity_W);
  parts_ = shafts_ = {gravity_, gravity_, gravity_};
  shaft_rate_ = gravity_;
}

bool MotionTorque::is_driven(int dof) const {
  return !model_->drives[size_t(dof)].passive &&
         std::ranges::none_of(model_->mimics, [&](const Mimicry& m) { return m.dof == dof; });
}

double MotionTorque::velocity_limit(int dof, double v) const {
  if (model_->drives[size_t(dof)].passive) return std::numeric_limits<double>::infinity();
  const Joint& joint = model_->joint_of_dof(dof);
  if (joint.velocity_limit == 0 && v != 0)
    throw Error(
        fmt::format("joint '{}' moves, and its velocity limit is 0; give it a positive limit, or "
                    "none",
                    joint.name));
  return joint.velocity_limit;
}

const TorqueParts& MotionTorque::at(std::span<const double> q, std::span<const double> v,
                                    std::span<const double> vdot, std::span<const double> then) {
  state_.set_q(q);
  state_.v.assign(v.begin(), v.end());
  const auto ask = [&](Status status) {
    if (!status) throw Error(solver_.explain(status));
  };
  ask(solver_.inverse(state_, vdot.data(), parts_.dynamic.data()));
  ask(solver_.gravity(state_, gravity_.data()));
  for (size_t k = 0; k < gravity_.size(); ++k) add_joint(k, then.empty() ? 0 : then[k]);
  for (const PoseSpringElement& spring : pose_springs_)
    spring.add_force(state_.q().data(), 1, parts_.constant.data());
  transmissions_.evaluate(q, v);
  for (size_t group = 0; group < model_->transmissions.size(); ++group) {
    add_shafts(group, then);
    if (!model_->transmissions[group].law) couple(model_->transmissions[group], vdot);
  }
  transmissions_.add_rotor_inertia(vdot.data(), parts_.dynamic.data());
  transmissions_.add_rotor_coriolis(parts_.dynamic.data());
  load_mimicked_joints();
  return parts_;
}

void MotionTorque::add_joint(size_t k, double then) {
  const double v = state_.v[k];
  parts_.dynamic[k] -= gravity_[k];
  const Model::LinearFriction friction = model_->linear_friction(int(k));
  parts_.viscous[k] = friction.viscous * v;
  parts_.constant[k] = gravity_[k] + friction.coulomb * direction(v, then);
  const Spring& spring = model_->drives[k].spring;
  const int coordinate = model_->coordinate[k];
  if (spring.stiffness != 0 && coordinate >= 0)
    parts_.constant[k] += spring.stiffness * (state_.q()[size_t(coordinate)] - spring.rest);
}

// The rates of the shafts are v_m = J_qm^-1 v. Their torques are J_qm^-T tau_m at the joints
// (KHALIL 7.31-7.33).
void MotionTorque::add_shafts(size_t group, std::span<const double> then) {
  const Transmission& transmission = model_->transmissions[group];
  const std::vector<int>& dofs = transmission.dofs;
  for (size_t m = 0; m < dofs.size(); ++m) {
    const double* row = transmissions_.inverse(group).data() + m * dofs.size();
    double rate = 0, next = 0;
    for (size_t i = 0; i < dofs.size(); ++i) {
      rate += row[i] * state_.v[size_t(dofs[i])];
      if (!then.empty()) next += row[i] * then[size_t(dofs[i])];
    }
    const Friction& friction = transmission.motors[m].friction;
    for (size_t i = 0; i < dofs.size(); ++i) {
      parts_.viscous[size_t(dofs[i])] += row[i] * friction.viscous * rate;
      parts_.constant[size_t(dofs[i])] += row[i] * friction.coulomb * direction(rate, next);
    }
  }
}

// Adds the constant armature between the joints of a transmission.
void MotionTorque::couple(const Transmission& transmission, std::span<const double> vdot) {
  const std::vector<int>& dofs = transmission.dofs;
  for (size_t i = 0; i < dofs.size(); ++i)
    for (size_t j = 0; j < dofs.size(); ++j)
      if (i != j)
        parts_.dynamic[size_t(dofs[i])] += transmission.armature(i, j) * vdot[size_t(dofs[j])];
}

const std::vector<LimitedLoad>& MotionTorque::loads() {
  transmissions_.motor_torques(parts_.dynamic, shafts_.dynamic);
  transmissions_.motor_torques(parts_.viscous, shafts_.viscous);
  transmissions_.motor_torques(parts_.constant, shafts_.constant);
  transmissions_.motor_rates(state_.v, shaft_rate_);
  loads_.clear();
  for (int dof = 0; dof < model_->n_v; ++dof)
    if (is_driven(dof)) add_loads(dof);
  return loads_;
}

void MotionTorque::add_loads(int dof) {
  const size_t k = size_t(dof);
  if (const Joint& joint = model_->joint_of_dof(dof); joint.effort_limit == 0)
    throw Error(
        fmt::format("the effort limit of joint '{}' is 0; give it a positive limit, or none, or "
                    "make the joint passive",
                    joint.name));
  const double stall = model_->drives[k].motor.stall_torque;
  for (const auto& [option, limit] :
       {std::pair("effort", model_->joint_of_dof(dof).effort_limit),
        std::pair("stall_torque", stall > 0 ? stall : std::numeric_limits<double>::infinity())})
    if (std::isfinite(limit))
      loads_.push_back({dof, option, model_->dof(dof).turns() ? "N m" : "N", limit,
                        parts_.dynamic[k], parts_.viscous[k], parts_.constant[k]});
  const Motor& motor = motor_of_dof(*model_, dof);
  const double K_T = motor.torque_constant, R = motor.resistance;
  if (!motor.has_amplifier_limit()) return;
  const double dynamic = shafts_.dynamic[k] / K_T, viscous = shafts_.viscous[k] / K_T,
               constant = shafts_.constant[k] / K_T;
  if (const double limit = motor.current_limit(); std::isfinite(limit))
    loads_.push_back({dof, motor.max_current > 0 ? "max_current" : "max_input", "A", limit, dynamic,
                      viscous, constant});
  if (motor.max_voltage > 0)
    loads_.push_back({dof, "max_voltage", "V", motor.max_voltage, R * dynamic,
                      R * viscous + K_T * shaft_rate_[k], R * constant});
}

void MotionTorque::load_mimicked_joints() {
  for (auto m = model_->mimics.rbegin(); m != model_->mimics.rend(); ++m)
    for (std::vector<double>* part : {&parts_.dynamic, &parts_.viscous, &parts_.constant}) {
      double& own = (*part)[size_t(m->dof)];
      (*part)[size_t(m->of_dof)] += m->ratio * own;
      own = 0;
    }
}

}  // namespace torsor
