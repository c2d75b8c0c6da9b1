#include "torsor/planning/torque_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Along q(t / k), the velocity and the acceleration are those of q(t) divided by k and k^2. With x
// = 1 / k, the torque of a dof is therefore a quadratic function,
//   tau(x) = dynamic x^2 + viscous x + constant
//   dynamic = M vdot + C v,   viscous = F_v v,   constant = g + F_c sign(v) + spring
struct TorquePart {
  std::vector<double> dynamic, viscous, constant;  // [n_v]
};

// p[2] x^2 + p[1] x + p[0] <= 0 if a limit is met.
using Condition = std::array<double, 3>;

// Returns the largest x for which a condition holds in [0, x]: its smallest positive root. Returns
// 0 if it does not hold at rest.
double largest(const Condition& p) {
  const auto [c, b, a] = p;
  if (c > 0 || (c == 0 && (b > 0 || (b == 0 && a > 0)))) return 0;
  // The roots are c / s and s / a, without a difference of nearly equal numbers.
  const double discriminant = b * b - 4 * a * c;
  if (discriminant < 0) return infinity;
  const double s = -(b + std::copysign(std::sqrt(discriminant), b)) / 2;
  double out = infinity;
  for (const double root : {s == 0 ? 0 : c / s, a == 0 ? 0 : s / a})
    if (root > 0) out = std::min(out, root);
  return out;
}

class Check {
 public:
  Check(const Trajectory& trajectory, Solver& solver, const Vec3<double>& gravity_W)
      : trajectory_(trajectory),
        solver_(solver),
        model_(trajectory.model()),
        state_(trajectory.model_ptr()),
        reference_(trajectory.make_reference(2)) {
    state_.set_gravity(gravity_W);
    const size_t n = size_t(model_.n_v);
    for (std::vector<double>* part : {&part_.dynamic, &part_.viscous, &part_.constant, &gravity_})
      part->resize(n);
    out_.dofs.resize(n);
    for (int k = 0; k < model_.n_v; ++k) {
      require_linear_friction(k);
      out_.dofs[size_t(k)].limit = is_driven(k) ? model_.joint_of_dof(k).effort_limit : infinity;
      out_.dofs[size_t(k)].exceeded_from = out_.dofs[size_t(k)].exceeded_to = NAN;
    }
  }

  void at(double t) {
    if (const Status status = trajectory_.evaluate(t, reference_); !status)
      throw Error(trajectory_.explain(status));
    evaluate();
    for (int k = 0; k < model_.n_v; ++k) compare(k, t);
  }
  TorqueCheck result() {
    out_.scale = out_.dof < 0 ? 0 : largest_x_ == 0 ? infinity : 1 / largest_x_;
    return out_;
  }

 private:
  bool is_driven(int dof) const {
    return !model_.drives[size_t(dof)].passive &&
           std::ranges::none_of(model_.mimics, [&](const Mimicry& m) { return m.dof == dof; });
  }
  void require_linear_friction(int dof) const {
    if (const Friction* law = model_.linear_friction(dof).other_law)
      throw Error(fmt::format(
          "joint '{}' has {} friction, whose torque does not scale with time; give it Coulomb and "
          "viscous friction for this check",
          model_.joint_of_dof(dof).name, name(law->law)));
  }

  void evaluate() {
    state_.set_q(reference_.q);
    state_.v = reference_.v;
    const auto ask = [&](Status status) {
      if (!status) throw Error(solver_.explain(status));
    };
    ask(solver_.inverse(state_, reference_.vdot.data(), part_.dynamic.data()));
    ask(solver_.gravity(state_, gravity_.data()));
    for (size_t k = 0; k < gravity_.size(); ++k) add_joint(k);
    for (const Transmission& transmission : model_.transmissions) couple(transmission);
    for (auto m = model_.mimics.rbegin(); m != model_.mimics.rend(); ++m)
      for (std::vector<double>* part : {&part_.dynamic, &part_.viscous, &part_.constant}) {
        double& own = (*part)[size_t(m->dof)];
        (*part)[size_t(m->of_dof)] += m->ratio * own;
        own = 0;
      }
  }
  void add_joint(size_t k) {
    const Drive& drive = model_.drives[k];
    const double v = state_.v[k], sign = double((v > 0) - (v < 0));
    part_.dynamic[k] -= gravity_[k];
    const Model::LinearFriction friction = model_.linear_friction(int(k));
    part_.viscous[k] = friction.viscous * v;
    part_.constant[k] = gravity_[k] + friction.coulomb * sign;
    const int coordinate = model_.coordinate[k];
    if (drive.spring.stiffness != 0 && coordinate >= 0)
      part_.constant[k] +=
          drive.spring.stiffness * (reference_.q[size_t(coordinate)] - drive.spring.rest);
  }
  // Adds the armature between the joints of a transmission.
  void couple(const Transmission& transmission) {
    const std::vector<int>& dofs = transmission.dofs;
    for (size_t i = 0; i < dofs.size(); ++i)
      for (size_t j = 0; j < dofs.size(); ++j)
        if (i != j)
          part_.dynamic[size_t(dofs[i])] +=
              transmission.armature(i, j) * reference_.vdot[size_t(dofs[j])];
  }

  // Equations: KHALIL 9.1.
  void compare(int dof, double t) {
    const size_t k = size_t(dof);
    const double c2 = part_.dynamic[k], c1 = part_.viscous[k], c0 = part_.constant[k],
                 tau = c2 + c1 + c0;
    TorqueUse& use = out_.dofs[k];
    if (std::abs(tau) > use.peak) use.peak = std::abs(tau), use.peak_time = t;
    if (!is_driven(dof)) return;
    const Joint& joint = model_.joint_of_dof(dof);
    const double v = std::abs(state_.v[k]), limit = joint.effort_limit,
                 v_max = joint.velocity_limit, stall = model_.drives[k].motor.stall_torque;
    double now = 0;
    const auto add = [&](double fraction, const Condition& condition) {
      now = std::max(now, fraction);
      const double x = largest(condition);
      if (x < largest_x_) largest_x_ = x, out_.dof = dof, out_.time = t;
    };
    if (std::isfinite(limit)) {
      add(std::abs(tau) / limit, {c0 - limit, c1, c2});
      add(0, {-c0 - limit, -c1, -c2});
    }
    if (std::isfinite(v_max) && v > 0) add(v / v_max, {-v_max, v, 0});
    if (stall > 0 && v > 0) {
      const double sign = state_.v[k] > 0 ? 1 : -1,
                   slope = std::isfinite(v_max) ? stall / v_max : 0;
      const double available = stall - slope * v;
      add(available > 0 ? std::max(0.0, sign * tau) / available : infinity,
          {sign * c0 - stall, sign * c1 + slope * v, sign * c2});
    }
    if (now > use.use) use.use = now, use.use_time = t;
    if (now > 1) {
      if (std::isnan(use.exceeded_from)) use.exceeded_from = t;
      use.exceeded_to = t;
    }
  }

  const Trajectory& trajectory_;
  Solver& solver_;
  const Model& model_;
  State state_;
  Reference reference_;
  TorquePart part_;
  std::vector<double> gravity_;
  TorqueCheck out_;
  double largest_x_ = infinity;
};

std::vector<double> sample_times(const Trajectory& trajectory, int samples) {
  const double T = trajectory.duration();
  std::vector<double> out;
  for (int k = 0; k < samples; ++k) out.push_back(T * k / (samples - 1));
  for (const double t : trajectory.breaks()) {
    if (t > 0) out.push_back(std::nextafter(t, 0.0));
    if (t < T) out.push_back(t);
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace

TorqueCheck check_torques(const Trajectory& trajectory, Solver& solver,
                          const Vec3<double>& gravity_W, int samples) {
  if (trajectory.of_frame())
    throw Error("the trajectory moves a frame; torques need a motion of the joints");
  if (trajectory.order() < 2) throw Error("the trajectory has no acceleration, which torques need");
  if (!std::isfinite(trajectory.duration()))
    throw Error("the trajectory never ends; torques need a motion with a duration");
  Check check(trajectory, solver, gravity_W);
  for (const double t : sample_times(trajectory, samples)) check.at(t);
  return check.result();
}

}  // namespace torsor
