#include "torsor/simulation/mechanism/energy.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "torsor/base/error.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/transmission.hpp"

namespace torsor {

Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot) {
  EnergyScratch scratch(state.model());
  return energy(state, mechanism, snapshot, scratch);
}

// Equations: KHALIL 7.34.
Energy energy(const State& state, const Mechanism& mechanism, const Snapshot& snapshot,
              EnergyScratch& scratch) {
  Energy out{kinetic_energy(state, scratch.V_WB_B), potential_energy(state, scratch.X_WB), 0};
  for (size_t m = 0; m < snapshot.motor_v.size(); ++m)
    out.kinetic += 0.5 * mechanism.motor_inertia[m] * snapshot.motor_v[m] * snapshot.motor_v[m];
  for (const auto& [i, j, inertia] : mechanism.armatures)
    out.kinetic += inertia * state.v[size_t(i)] * state.v[size_t(j)];
  if (!mechanism.varying_dofs.empty()) {
    Transmissions transmissions(state.model_ptr());
    try {
      transmissions.evaluate(snapshot.q, snapshot.v);
      out.kinetic += transmissions.rotor_energy();
    } catch (const Error&) {
      out.kinetic = std::numeric_limits<double>::quiet_NaN();
    }
  }
  for (const auto& [row_a, row_b, stiffness] : mechanism.couplings)
    out.elastic += stiffness *
                   mechanism.position(row_a, snapshot.q.data(), snapshot.motor_q.data()) *
                   mechanism.position(row_b, snapshot.q.data(), snapshot.motor_q.data());
  for (const SpringElement& spring : mechanism.springs) {
    // k x^2 / 2 + k_3 x^4 / 4
    const double x =
        mechanism.position(spring.row, snapshot.q.data(), snapshot.motor_q.data()) - spring.rest;
    out.elastic += (0.5 * spring.stiffness + 0.25 * spring.cubic * x * x) * x * x;
  }
  for (const PoseSpringElement& spring : mechanism.pose_springs)
    out.elastic += spring.energy(snapshot.q.data());
  return out;
}

KineticBound::KineticBound(const std::vector<std::shared_ptr<const Model>>& models,
                           const Mechanism& mechanism) {
  const auto size = [](const Vec3<double>& a) {
    return std::abs(a.x) + std::abs(a.y) + std::abs(a.z);
  };
  for (const std::shared_ptr<const Model>& model : models) {
    double sum = 0;
    std::vector<double> w(size_t(model->n_body)), u(w);
    for (size_t i = 1; i < w.size(); ++i) {
      const auto p = size_t(model->parent[i]);
      const bool slides = model->v_count[i] > 1 || model->pitch[i] != 0;
      const double offset =
          size(model->X_PB0[i].p) +
          (slides ? 4 * std::max(1.0, std::abs(model->pitch[i])) : 0) * most_position;
      w[i] = w[p];
      u[i] = u[p] + offset * w[p];
      for (int k = model->v_index[i]; k < model->v_index[i] + model->v_count[i]; ++k) {
        w[i] += size(model->S_B[size_t(k)].w);
        u[i] += size(model->S_B[size_t(k)].v);
      }
      const SpatialInertia<double>& M = model->inertia_B[i];
      const double I = std::abs(M.I.xx) + std::abs(M.I.yy) + std::abs(M.I.zz) +
                       2 * (std::abs(M.I.xy) + std::abs(M.I.xz) + std::abs(M.I.yz));
      sum += I * w[i] * w[i] + 2 * size(M.h) * w[i] * u[i] + std::abs(M.m) * u[i] * u[i];
    }
    for (const double armature : model->armature) sum += std::abs(armature);
    factor_ = std::max(factor_, sum);
  }
  for (const double inertia : mechanism.motor_inertia) factor_ += std::abs(inertia);
}

bool KineticBound::is_small(std::span<const double> q, std::span<const double> v,
                            std::span<const double> motor_v) const {
  // A comparison with NaN is false. Sums of the counts need no branches.
  size_t small = 0;
  double fastest = 0;
  for (const double x : q) small += std::abs(x) <= most_position;
  for (const std::span<const double> part : {v, motor_v})
    for (const double x : part) {
      small += std::abs(x) <= 1e150;
      fastest = std::max(fastest, std::abs(x));
    }
  constexpr double most = 1e300, rounding = 100;
  return small == q.size() + v.size() + motor_v.size() &&
         rounding * factor_ * fastest * fastest <= most;
}

double ledger_error(const Energy& energy, const Snapshot& snapshot) {
  return energy.sum() - snapshot.energy_zero -
         std::accumulate(snapshot.work.begin(), snapshot.work.end(), 0.0);
}

}  // namespace torsor
