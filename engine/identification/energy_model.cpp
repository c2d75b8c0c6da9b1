#include "torsor/identification/energy_model.hpp"

#include <fmt/format.h>

#include <cmath>

#include "torsor/identification/least_squares.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor {

namespace {

using Vector = Eigen::VectorXd;
using Kind = DynamicParameter::Kind;

// Returns the friction power per unit of each parameter, W.
Vector friction_row(const LinearModel& linear, const State& state) {
  Vector out = Vector::Zero(Eigen::Index(linear.parameters().size()));
  for (size_t p = 0; p < linear.parameters().size(); ++p) {
    const Kind kind = linear.parameters()[p].kind;
    if (kind != Kind::viscous && kind != Kind::coulomb) continue;
    const double s = linear.rate(p, state.v.data());
    out(Eigen::Index(p)) = kind == Kind::viscous ? s * s : std::abs(s);
  }
  return out;
}

void require_free(const Model& model, std::span<const double> q) {
  for (const Joint& joint : model.joints)
    for (int c = joint.v_index; c < joint.v_index + traits(joint.kind).n_v; ++c) {
      if (!model.drives[size_t(c)].stop) continue;
      const double at = q[size_t(model.coordinate[size_t(c)])];
      if (at <= joint.lower || at >= joint.upper)
        throw Error(fmt::format(
            "joint '{}' is at a stop, whose work is unknown; identify from torques instead",
            joint.name));
    }
}

// The energy, the work of friction and the power of the motors at one sample.
struct Sample {
  Vector energy, friction;
  double power;
};

}  // namespace

Vector energy_row(const LinearModel& linear, const State& state) {
  const Model& model = linear.model();
  Vector out = Vector::Zero(Eigen::Index(linear.parameters().size()));
  for (size_t p = 0; p < linear.parameters().size(); ++p) {
    const DynamicParameter& parameter = linear.parameters()[p];
    double& energy = out(Eigen::Index(p));
    if (parameter.kind == Kind::rotor) energy = 0.5 * std::pow(linear.rate(p, state.v.data()), 2);
    if (parameter.kind != Kind::inertial || parameter.entry != 0) continue;
    const Frame& frame = model.frames[size_t(model.links[size_t(parameter.link)].frame)];
    const Pose<double> X_WF = frame_pose(state, frame);
    const Twist<double> V = frame_twist(state, frame);
    for (int k = 0; k < n_inertial; ++k) {
      const SpatialInertia<double> M = unit_inertia(k);
      const Wrench<double> momentum = M * V;
      out(Eigen::Index(p) + k) = 0.5 * (dot(V.w, momentum.n) + dot(V.v, momentum.f)) -
                                 dot(state.gravity_W(), M.m * X_WF.p + X_WF.R * M.h);
    }
  }
  return out;
}

// Integrates by Simpson's rule over pairs of samples.
Identification identify_energy(const std::shared_ptr<const Model>& model,
                               const Vec3<double>& gravity_W, const ParameterChoice& choice,
                               const MeasuredMotion& motion, double rate, size_t interval) {
  require_no_springs(*model);
  Identification out;
  out.base = base_parameters(model, gravity_W, choice);
  const LinearModel linear(model, choice);
  const size_t n_v = size_t(model->n_v), n_q = size_t(model->n_q), samples = motion.v.size() / n_v,
               rank = out.base.rank();
  if (interval == 0) interval = std::max<size_t>(2, samples / (5 * rank) / 2 * 2);
  if (interval % 2 != 0 || interval < 2)
    throw Error(fmt::format(
        "an interval of {} samples has no middle for Simpson's rule; give an even number",
        interval));
  State state(model);
  state.set_gravity(gravity_W);
  const auto at = [&](size_t k) {
    const auto q = std::span(motion.q).subspan(k * n_q, n_q);
    require_free(*model, q);
    state.set_q(q);
    state.v.assign(&motion.v[k * n_v], &motion.v[k * n_v] + n_v);
    double power = 0;
    for (size_t c = 0; c < n_v; ++c) power += state.v[c] * motion.tau[k * n_v + c];
    return Sample{energy_row(linear, state), friction_row(linear, state), power};
  };
  const Eigen::Index row_length = Eigen::Index(rank);
  std::vector<Equations> equations(1, Equations(row_length));
  for (size_t first = 0; first + interval < samples; first += interval) {
    Sample last = at(first);
    Vector row = -last.energy;
    double work = 0;
    for (size_t k = first; k < first + interval; k += 2) {
      const Sample middle = at(k + 1), next = at(k + 2);
      work += (last.power + 4 * middle.power + next.power) / (3 * rate);
      row += (last.friction + 4 * middle.friction + next.friction) / (3 * rate);
      last = next;
    }
    row += last.energy;
    Eigen::RowVectorXd used = Eigen::RowVectorXd::Zero(row_length);
    for (size_t i = 0; i < rank; ++i) used(Eigen::Index(i)) = row(out.base.grouping.independent[i]);
    equations[0].add(used, work);
    ++out.samples;
  }
  out.equations = out.samples;
  out.joints.push_back({"energy", "J", out.equations, 0, equations[0].root_mean_square()});
  const Fit found = fit_parameters(equations, false, out);
  set_intervals(found.deviation, out.equations - long(rank), out);
  return out;
}

}  // namespace torsor
