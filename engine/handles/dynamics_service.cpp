#include "torsor/handles/dynamics_service.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "torsor/base/random.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/mechanics/regressor.hpp"
#include "torsor/model/rotor_body.hpp"

namespace torsor {

namespace {

// Returns one flag per dof, [n_v]. The flag is 1 if a mimic joint, a stiffness matrix, an elastic
// rotor or a transmission couples the dof to another one, otherwise 0. The rigid-body dynamics do
// not include these couplings.
std::vector<int32_t> tied_dofs(const Model& model) {
  std::vector<int32_t> out(size_t(model.n_v), 0);
  for (const Mimicry& mimic : model.mimics)
    for (const int column : {mimic.dof, mimic.of_dof}) out[size_t(column)] = 1;
  for (const ElasticRotor& rotor : model.elastic_rotors)
    for (const int column : {rotor.dof, rotor.rotor_dof}) out[size_t(column)] = 1;
  for (const Transmission& group : model.transmissions)
    for (const int column : group.dofs) out[size_t(column)] = 1;
  return out;
}

// Returns the stiffness matrix of the elastic joints, [n_v * n_v].
std::vector<double> stiffness_of(const Model& model) {
  const size_t n = size_t(model.n_v);
  std::vector<double> out(n * n, 0.0);
  for (size_t k = 0; k < n; ++k)
    if (const auto& elasticity = model.drives[k].elasticity) out[k * n + k] = elasticity->stiffness;
  for (const auto& [i, j, stiffness] : model.stiffness_couplings)
    out[size_t(i) * n + size_t(j)] = out[size_t(j) * n + size_t(i)] = stiffness;
  return out;
}

// Returns the leader of each dof, [n_v].
std::vector<torsor_mimic> mimics_of(const Model& model) {
  std::vector<torsor_mimic> out(size_t(model.n_v), {.ratio = 0, .offset = 0, .leader = -1});
  for (const auto& [dof, of_dof, ratio, offset] : followers(model))
    out[size_t(dof)] = {ratio, offset, of_dof};
  return out;
}

}  // namespace

std::vector<torsor_drive> drives_of(const Model& model) {
  std::vector<torsor_drive> out;
  for (int k = 0; k < model.n_v; ++k) {
    const Joint& joint = model.joint_of_dof(k);
    const Drive& drive = model.drives[size_t(k)];
    const bool limited = model.coordinate[size_t(k)] >= 0;
    constexpr double none = std::numeric_limits<double>::infinity();
    out.push_back({.lower = limited ? joint.lower : -none,
                   .upper = limited ? joint.upper : none,
                   .max_rate = joint.velocity_limit,
                   .max_torque = drive.passive ? 0 : joint.effort_limit,
                   .viscous = model.damping[size_t(k)] + drive.friction.viscous +
                              drive.motor.friction.viscous,
                   .coulomb = drive.friction.coulomb + drive.motor.friction.coulomb,
                   .stiffness = drive.elasticity ? drive.elasticity->stiffness : 0,
                   .spring_cubic = drive.elasticity ? drive.elasticity->cubic : 0,
                   .spring_damping = drive.elasticity ? drive.elasticity->damping : 0,
                   .motor_inertia = drive.elasticity ? drive.motor.inertia() : 0});
  }
  return out;
}

void DynamicsService::add_springs(const double* q, double sign, double* f) const {
  for (const JointSpring& spring : springs_)
    f[spring.column] += sign * spring.stiffness * (q[spring.coordinate] - spring.rest);
  for (const PoseSpringElement& spring : pose_springs_) spring.add_force(q, sign, f);
}

template <class Call>
torsor_status DynamicsService::with(const torsor_dynamics* table, const double* q, const double* v,
                                    Call&& call) {
  DynamicsService& self = *static_cast<DynamicsService*>(table->context);
  const std::lock_guard turn(self.mutex_);
  self.set_state(q, v);
  self.reason_.clear();
  return call(self);
}

DynamicsService::DynamicsService(Solver solver, std::shared_ptr<const Model> model,
                                 const Vec3<double>& gravity_W, MechanismDynamics mechanism)
    : solver_(std::move(solver)),
      mechanism_(std::move(mechanism)),
      state_(model),
      drives_(drives_of(*model)),
      tied_(tied_dofs(*model)),
      stiffness_(stiffness_of(*model)),
      mimics_(mimics_of(*model)),
      rest_(size_t(model->n_v), 0.0),
      twists_(regressor_scratch(*model)),
      J_(6 * rest_.size()),
      tau_(rest_),
      rates_(6 * rest_.size()),
      pose_springs_(pose_springs(*model)),
      table_{} {
  state_.set_gravity(gravity_W);
  for (int k = 0; k < model->n_v; ++k)
    if (const Spring& spring = model->drives[size_t(k)].spring; spring.stiffness > 0)
      springs_.push_back({k, model->coordinate[size_t(k)], spring.stiffness, spring.rest});
  table_.struct_size = sizeof table_;
  table_.context = this;
  table_.drive = drives_.data();
  for (const Drive& drive : model->drives) {
    motor_viscous_.push_back(drive.motor.friction.viscous);
    motor_coulomb_.push_back(drive.motor.friction.coulomb);
  }
  table_.motor_viscous = motor_viscous_.data();
  table_.motor_coulomb = motor_coulomb_.data();
  table_.tied = tied_.data();
  table_.stiffness = stiffness_.data();
  table_.mimic = mimics_.data();
  using Table = const torsor_dynamics*;
  table_.configuration = [](Table table, uint32_t number, double* q) -> torsor_status {
    static_cast<const DynamicsService*>(table->context)->write_configuration(number, q);
    return TORSOR_OK;
  };
  table_.inverse = [](Table table, const double* q, const double* v, const double* vdot,
                      double* tau) {
    return with(table, q, v,
                [&](auto& self) { return self.solve(Quantity::inverse, q, vdot, tau).value; });
  };
  table_.forward = [](Table table, const double* q, const double* v, const double* tau,
                      double* vdot) {
    return with(table, q, v,
                [&](auto& self) { return self.solve(Quantity::forward, q, tau, vdot).value; });
  };
  table_.mass_matrix = [](Table table, const double* q, double* M) {
    return with(table, q, nullptr,
                [&](auto& self) { return self.solve(Quantity::mass_matrix, q, nullptr, M).value; });
  };
  table_.bias = [](Table table, const double* q, const double* v, double* b) {
    return with(table, q, v,
                [&](auto& self) { return self.solve(Quantity::bias, q, nullptr, b).value; });
  };
  table_.gravity = [](Table table, const double* q, double* g) {
    return with(table, q, nullptr,
                [&](auto& self) { return self.solve(Quantity::gravity, q, nullptr, g).value; });
  };
  table_.frame = [](Table table, const torsor_frame* F, const double* q, const double* v,
                    double* X_WF, double* J, double* Jdot_v) {
    return with(table, q, v, [&](auto& self) -> torsor_status {
      if (F->body < 0 || F->body >= self.model().n_body) return TORSOR_BAD_ARGUMENT;
      const Frame frame{"", F->body, *reinterpret_cast<const Pose<double>*>(F->X_BF)};
      *reinterpret_cast<Pose<double>*>(X_WF) = frame_pose(self.state_, frame);
      const size_t n = self.rest_.size();
      frame_jacobian(self.state_, frame, Axes::world,
                     Eigen::Map<Eigen::MatrixXd>(self.J_.data(), 6, Eigen::Index(n)));
      for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < n; ++j) J[i * n + j] = self.J_[6 * j + i];
      if (Jdot_v)
        *reinterpret_cast<Twist<double>*>(Jdot_v) = jacobian_rate(self.state_, frame, Axes::world);
      return TORSOR_OK;
    });
  };
  if (!mechanism_ && solver_.has_rates() && solver_.max_rate_order() >= 2)
    table_.inverse_rates = [](Table table, const double* q, const double* v, const double* vdot,
                              const double* vddot, const double* vdddot, double* tau,
                              double* tau_dot, double* tau_ddot) {
      return with(table, q, v, [&](auto& self) {
        const size_t n = self.rest_.size();
        double* motion = self.rates_.data();
        for (const double* part : {vdot, vddot, vdddot}) motion = std::copy_n(part, n, motion);
        double* rates = motion;
        const Status status = self.solver_.rates(self.state_, {2, self.rates_.data()}, rates);
        for (double* part : {tau, tau_dot, tau_ddot}) {
          std::copy_n(rates, n, part);
          rates += n;
        }
        self.add_springs(q, 1, tau);
        for (const JointSpring& spring : self.springs_) {
          tau_dot[spring.column] += spring.stiffness * v[spring.column];
          tau_ddot[spring.column] += spring.stiffness * vdot[spring.column];
        }
        for (const PoseSpringElement& spring : self.pose_springs_)
          spring.add_force_rates(q, v, vdot, tau_dot, tau_ddot);
        return status.value;
      });
    };
  if (!mechanism_)
    table_.regressor = [](Table table, const double* q, const double* v, const double* v_r,
                          const double* a_r, double* Y) {
      return with(table, q, v, [&](auto& self) -> torsor_status {
        regressor(self.state_, v_r, a_r, self.twists_, Y);
        return TORSOR_OK;
      });
    };
}

// The springs of the joints are part of the bias.
Status DynamicsService::solve(Quantity quantity, const double* q, const double* given,
                              double* out) {
  if (mechanism_) {
    std::fill(tau_.begin(), tau_.end(), 0.0);
    add_springs(q, 1, tau_.data());
    return mechanism_(solver_, state_, quantity, given, tau_, out, reason_);
  }
  if (quantity == Quantity::forward) {
    std::copy_n(given, tau_.size(), tau_.begin());
    add_springs(q, -1, tau_.data());
    return solver_.forward(state_, tau_.data(), out);
  }
  const Status status = solver_.evaluate(quantity, state_, given, out);
  if (quantity != Quantity::mass_matrix) add_springs(q, 1, out);
  return status;
}

void DynamicsService::write_configuration(uint32_t number, double* q) const {
  Random random(number);
  std::vector<double> d(size_t(model().n_v));
  for (int k = 0; k < model().n_v; ++k) {
    const torsor_drive& drive = drives_[size_t(k)];
    const double reach = model().dof(k).turns() ? std::numbers::pi : 1.0;
    const double lower = std::isfinite(drive.lower) ? drive.lower : -reach,
                 upper = std::isfinite(drive.upper) ? drive.upper : reach;
    d[size_t(k)] = random.uniform(lower, upper);
  }
  integrate(model(), neutral(model()).data(), d.data(), 1, q);
  const auto coordinate = [&](int64_t dof) { return model().coordinate[size_t(dof)]; };
  for (int k = 0; k < model().n_v; ++k)
    if (const torsor_mimic& mimic = mimics_[size_t(k)]; mimic.leader >= 0)
      q[coordinate(k)] = mimic.ratio * q[coordinate(mimic.leader)] + mimic.offset;
}

void DynamicsService::set_state(const double* q, const double* v) {
  state_.set_q({q, size_t(model().n_q)});
  std::copy_n(v ? v : rest_.data(), rest_.size(), state_.v.data());
}

}  // namespace torsor
