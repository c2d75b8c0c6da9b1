#include "torsor/motions/actuator_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/model/random_robot.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor {

namespace {

// The inertia of one dof as a function of q, and its maximum.
class LargestInertia {
 public:
  LargestInertia(const std::shared_ptr<const Model>& model, Solver& solver, int dof,
                 const std::function<void(int kernels)>& working)
      : model_(*model),
        solver_(solver),
        state_(model),
        transmissions_(model),
        dof_(dof),
        working_(working),
        share_(rates_with(dof)),
        M_(share_.size() * share_.size()) {
    for (const ElasticRotor& rotor : model_.elastic_rotors)
      share_[size_t(rotor.rotor_dof)] += rotor.ratio * share_[size_t(rotor.dof)];
    for (size_t k = 0; k < share_.size(); ++k)
      if (const Drive& drive = model_.drives[k]; drive.elasticity)
        elastic_rotors_ += drive.motor.inertia() * share_[k] * share_[k];
    for (int k = 0; k < model_.n_v; ++k)
      if (matters(k)) searched_.push_back(k);
  }

  double find() {
    Random random(1);
    double most = 0;
    constexpr int starts = 8;
    for (int k = 0; k < starts; ++k) most = std::max(most, climb(start(random)));
    return most;
  }

 private:
  struct Range {
    double least, most;  // of the displacement from the current position
  };

  // Returns the rates of all dof if a dof moves at the rate 1 and its mimic joints follow it.
  std::vector<double> rates_with(int dof) const {
    std::vector<double> out(size_t(model_.n_v));
    out[size_t(dof)] = 1;
    for (const Mimicry& mimic : model_.mimics)
      out[size_t(mimic.dof)] += mimic.ratio * out[size_t(mimic.of_dof)];
    return out;
  }

  // Returns whether A_jj may depend on the position of a dof: whether this dof moves a joint beyond
  // a joint of A_jj. A rotation or translation of a joint with one dof does not change its own
  // inertia.
  bool matters(int dof) const {
    if (std::ranges::any_of(model_.mimics, [&](const Mimicry& m) { return m.dof == dof; }))
      return false;
    if (transmissions_.vary()) return true;
    const std::vector<double> moved = rates_with(dof);
    const auto body = [&](size_t k) { return model_.joint_of_dof(int(k)).body; };
    for (size_t i = 0; i < share_.size(); ++i)
      for (size_t k = 0; k < moved.size(); ++k) {
        if (share_[i] == 0 || moved[k] == 0) continue;
        int at = body(k);
        if (model_.v_count[size_t(at)] == 1) at = model_.parent[size_t(at)];
        while (at > body(i)) at = model_.parent[size_t(at)];
        if (at == body(i)) return true;
      }
    return false;
  }

  // Returns the sum of A_ij over the dof that move with this one, in proportion to their rates.
  double at(const std::vector<double>& q) {
    working_(1);
    std::vector<double> full = q;
    state_.v.assign(share_.size(), 0.0);
    follow_mimics(model_, full, state_.v);
    state_.set_q(full);
    if (const Status status = solver_.mass_matrix(state_, M_.data()); !status)
      throw Error(solver_.explain(status));
    double sum = elastic_rotors_;
    const size_t n = share_.size();
    for (size_t i = 0; i < n; ++i)
      if (share_[i] != 0)
        for (size_t j = 0; j < n; ++j) sum += share_[i] * M_[i * n + j] * share_[j];
    if (!transmissions_.vary()) return sum;
    transmissions_.reset();
    transmissions_.evaluate(full, state_.v);
    std::vector<double> rotors(n);
    transmissions_.add_rotor_inertia(share_.data(), rotors.data());
    for (size_t i = 0; i < n; ++i) sum += share_[i] * rotors[i];
    return sum;
  }

  // Returns a random position within the limits.
  std::vector<double> start(Random& random) const {
    std::vector<double> q = random_position(random, model_, M_PI);
    for (const Joint& joint : model_.joints)
      if (std::isfinite(joint.lower) && std::isfinite(joint.upper))
        q[size_t(joint.q_index)] = random.uniform(joint.lower, joint.upper);
    return q;
  }
  std::vector<double> moved(const std::vector<double>& q, int dof, double by) const {
    std::vector<double> step(share_.size()), out(q.size());
    step[size_t(dof)] = by;
    integrate(model_, q.data(), step.data(), 1, out.data());
    return out;
  }

  // Returns the range of a dof, or of one metre if a linear dof has no limits.
  Range range(const std::vector<double>& q, int dof) const {
    const Joint& joint = model_.joint_of_dof(dof);
    const double size = model_.dof(dof).turns() ? M_PI : 0.5;
    Range out{-size, size};
    const int coordinate = model_.coordinate[size_t(dof)];
    if (coordinate < 0) return out;
    if (std::isfinite(joint.lower)) out.least = joint.lower - q[size_t(coordinate)];
    if (std::isfinite(joint.upper)) out.most = joint.upper - q[size_t(coordinate)];
    if (!std::isfinite(joint.lower)) out.least = std::min(out.least, out.most);
    if (!std::isfinite(joint.upper)) out.most = std::max(out.least, out.most);
    return out;
  }
  // Throws Error if a dof on which the inertia depends has an infinite range: a linear dof, or a
  // joint of a transmission whose Jacobian depends on q.
  void require_bounded(int dof) const {
    const Joint& joint = model_.joint_of_dof(dof);
    const bool in_transmission =
        std::ranges::any_of(model_.transmissions, [&](const Transmission& group) {
          return group.law && std::ranges::count(group.dofs, dof) > 0;
        });
    if ((!model_.dof(dof).turns() || in_transmission) &&
        !(std::isfinite(joint.lower) && std::isfinite(joint.upper)))
      throw Error(fmt::format(
          "the inertia of joint '{}' grows without bound with the position of joint '{}'; give "
          "joint '{}' position limits",
          model_.joint_of_dof(dof_).name, joint.name, joint.name));
  }

  // Moves q to the maximum along a dof. Returns the inertia there.
  double climb_along(int dof, std::vector<double>& q, double now) {
    const Range whole = range(q, dof);
    constexpr int samples = 24;
    const double step = (whole.most - whole.least) / samples;
    double best = 0, most = now, least = now;
    for (int k = 0; k <= samples; ++k) {
      const double by = whole.least + k * step, value = at(moved(q, dof, by));
      least = std::min(least, value);
      if (value > most) best = by, most = value;
    }
    constexpr double rounding = 1e-12;
    if (most - least <= rounding * most) return now;
    require_bounded(dof);
    constexpr double golden = 0.6180339887498949;  // error of A_jj: O(width^2)
    double a = std::max(whole.least, best - step), b = std::min(whole.most, best + step),
           c = b - golden * (b - a), d = a + golden * (b - a), at_c = at(moved(q, dof, c)),
           at_d = at(moved(q, dof, d));
    while (b - a > 1e-6 * (whole.most - whole.least)) {
      if (at_c < at_d) {
        a = std::exchange(c, d);
        at_c = std::exchange(at_d, at(moved(q, dof, d = a + golden * (b - a))));
      } else {
        b = std::exchange(d, c);
        at_d = std::exchange(at_c, at(moved(q, dof, c = b - golden * (b - a))));
      }
    }
    if (const double value = at(moved(q, dof, (a + b) / 2)); value > most)
      best = (a + b) / 2, most = value;
    q = moved(q, dof, best);
    return most;
  }
  double climb(std::vector<double> q) {
    double now = at(q);
    for (double before = 0; now > before * (1 + 1e-10);) {
      before = now;
      for (const int dof : searched_) now = climb_along(dof, q, now);
    }
    return now;
  }

  const Model& model_;
  Solver& solver_;
  State state_;
  Transmissions transmissions_;
  int dof_;
  const std::function<void(int kernels)>& working_;
  std::vector<double> share_;  // [n_v] rates of all dof per rate of this one
  std::vector<double> M_;
  double elastic_rotors_ = 0;  // inertia of motors that drive their joints by springs
  std::vector<int> searched_;  // dof on which the inertia may depend
};

// Returns the limits of a joint's motor, on the joint's side of the gear: the smaller ones of those
// of its amplifier and of given data.
//   |tau| <= N K_T min(i_max, V_max / R),   |v| <= V_max / (N K_T)
MotorData motor_limits(const Motor& motor, const MotorData& given) {
  const double gear = std::abs(motor.gear_ratio);
  MotorData out{given.speed / gear, given.torque * gear};
  if (!motor.has_amplifier_limit()) return out;
  double current = motor.current_limit();
  if (motor.max_voltage > 0) {
    current = std::min(current, motor.max_voltage / motor.resistance);
    out.speed = std::min(out.speed, motor.max_voltage / (motor.torque_constant * gear));
  }
  out.torque = std::min(out.torque, motor.torque_constant * current * gear);
  return out;
}

void require_positive(const Joint& joint, const char* name, double limit) {
  if (limit == 0)
    throw Error(fmt::format("the {} limit of joint '{}' is 0; give it a positive limit, or none",
                            name, joint.name));
}

// The motion of a mimic joint is that of the joint that it mimics, multiplied by a ratio. So are
// its limits.
void fold_mimics(const Model& model, ActuatorLimits& limits) {
  for (auto m = model.mimics.rbegin(); m != model.mimics.rend(); ++m)
    if (m->ratio != 0)
      limits.speed[size_t(m->of_dof)] = std::min(limits.speed[size_t(m->of_dof)],
                                                 limits.speed[size_t(m->dof)] / std::abs(m->ratio));
  for (const Mimicry& m : model.mimics)
    for (std::vector<double>* list : {&limits.speed, &limits.acceleration})
      if (m.ratio != 0) (*list)[size_t(m.dof)] = (*list)[size_t(m.of_dof)] * std::abs(m.ratio);
}

}  // namespace

ActuatorLimits actuator_limits(const std::shared_ptr<const Model>& model, Solver& solver,
                               const std::vector<MotorData>& motors,
                               const std::function<void(int kernels)>& working) {
  const size_t n = size_t(model->n_v);
  ActuatorLimits out{std::vector<double>(n, INFINITY), std::vector<double>(n, INFINITY),
                     std::vector<double>(n)};
  for (size_t k = 0; k < n; ++k) {
    const Drive& drive = model->drives[k];
    const Joint& joint = model->joint_of_dof(int(k));
    const bool follows =
        std::ranges::any_of(model->mimics, [&](const Mimicry& m) { return m.dof == int(k); });
    out.speed[k] = joint.velocity_limit;
    if (drive.passive) continue;
    require_positive(joint, "velocity", joint.velocity_limit);
    if (follows) continue;
    require_positive(joint, "effort", joint.effort_limit);
    const MotorData motor =
        motor_limits(drive.motor, motors.empty() ? MotorData{INFINITY, INFINITY} : motors[k]);
    out.speed[k] = std::min(out.speed[k], motor.speed);
    double torque = std::min(joint.effort_limit, motor.torque);
    if (drive.motor.stall_torque > 0) torque = std::min(torque, drive.motor.stall_torque);
    if (std::isinf(torque)) continue;
    out.inertia[k] = LargestInertia(model, solver, int(k), working).find();
    out.acceleration[k] = torque / out.inertia[k];
  }
  fold_mimics(*model, out);
  return out;
}

}  // namespace torsor
