#pragma once
// Simulated measurements for the tests of identification: motions with exact rates, their torques
// by an independent computation, and sensors with noise.

#include <cmath>
#include <functional>

#include "support/dense_dynamics.hpp"
#include "support/known_robots.hpp"
#include "support/random_robot.hpp"
#include "torsor/base/linear_algebra.hpp"
#include "torsor/identification/identify.hpp"

namespace torsor::test {

inline constexpr Vec3<double> down{0, 0, -9.81};

inline std::shared_ptr<const Model> iiwa_model() {
  return build(iiwa(stored_table("iiwa_second_order.json")));
}

inline double normal(Random& random) {  // Box-Muller transform
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform(0, 1)));
  return radius * std::cos(2 * M_PI * random.uniform(0, 1));
}

// Appends a sample to a motion. The torques are those of the links and rotors, and of
// friction_of(v).
inline void add_sample(const Model& model, MeasuredMotion& motion, const std::vector<double>& q,
                       const std::vector<double>& v, const std::vector<double>& vdot,
                       const std::function<Vector(const Vector&)>& friction_of = {}) {
  State state(std::shared_ptr<const Model>(&model, [](const Model*) {}));
  state.set_q(q);
  state.v = v;
  const Vector rate = Eigen::Map<const Vector>(v.data(), model.n_v);
  Vector tau = DenseDynamics(model.view(), state.view())
                   .inverse(rate, Eigen::Map<const Vector>(vdot.data(), model.n_v));
  if (friction_of) tau += friction_of(rate);
  const auto append = [](std::vector<double>& to, const auto& x) {
    to.insert(to.end(), x.begin(), x.end());
  };
  append(motion.q, q);
  append(motion.v, v);
  append(motion.vdot, vdot);
  append(motion.tau, tau);
}

// A motion with its times.
struct TimedMotion {
  MeasuredMotion motion;
  std::vector<double> time;
};

// Returns a motion of a tree with joints of any kind: q = q_0 (+) d(t), where each entry of d is a
// sum of five random harmonics of `frequency`, with amplitudes that fall as 1 / k. The rates of
// joints with several dof come from differences of d of order eight over `step`, which need not be
// the interval of the samples.
inline TimedMotion random_harmonics(const Model& model, uint64_t seed, double rate, int samples,
                                    double frequency, double amplitude,
                                    const std::function<Vector(const Vector&)>& friction_of = {}) {
  constexpr int harmonics = 5;
  Random random(seed);
  const std::vector<double> q_0 = random_position(random, model, 0.5);
  const size_t n_v = size_t(model.n_v);
  const std::vector<double> a = random_values(random, int(2 * harmonics * n_v), amplitude);
  // Derivative number `order` of d.
  const auto d = [&](double t, int order) {
    std::vector<double> out(n_v, 0.0);
    for (size_t c = 0; c < n_v; ++c)
      for (int k = 1; k <= harmonics; ++k) {
        const double w = 2 * M_PI * frequency * k, turn = order * M_PI / 2;
        const double* pair = &a[(c * harmonics + size_t(k) - 1) * 2];
        out[c] += std::pow(w, order) / k *
                  (pair[0] * std::sin(w * t + turn) + pair[1] * std::cos(w * t + turn));
      }
    return out;
  };
  const auto rates_at = [&](double t) {
    // Inverts chart_rate(), which is linear in v, column by column.
    const std::vector<double> at = d(t, 0), along = d(t, 1);
    Eigen::MatrixXd map(model.n_v, model.n_v);
    std::vector<double> unit(n_v, 0.0);
    for (size_t c = 0; c < n_v; ++c) {
      unit[c] = 1;
      chart_rate(model, at.data(), unit.data(), map.col(Eigen::Index(c)).data());
      unit[c] = 0;
    }
    return Vector(solve(map, Eigen::Map<const Vector>(along.data(), model.n_v)));
  };
  TimedMotion out;
  for (int i = 0; i < samples; ++i) {
    const double t = i / rate, h = 1e-3;
    std::vector<double> q(size_t(model.n_q)), v(n_v), vdot(n_v);
    integrate(model, q_0.data(), d(t, 0).data(), 1, q.data());
    Eigen::Map<Vector>(v.data(), model.n_v) = rates_at(t);
    Eigen::Map<Vector>(vdot.data(), model.n_v) =
        (672 * (rates_at(t + h) - rates_at(t - h)) -
         168 * (rates_at(t + 2 * h) - rates_at(t - 2 * h)) +
         32 * (rates_at(t + 3 * h) - rates_at(t - 3 * h)) -
         3 * (rates_at(t + 4 * h) - rates_at(t - 4 * h))) /
        (840 * h);
    add_sample(model, out.motion, q, v, vdot, friction_of);
    out.time.push_back(t);
  }
  return out;
}

// Rounds positions to the steps of encoders with this number of bits per turn, and adds normal
// noise to the torques: a fraction of the root mean square of each joint. Returns the standard
// deviations of that noise [n_v].
inline std::vector<double> add_noise(const Model& model, MeasuredMotion& motion, int bits,
                                     double fraction, uint64_t seed) {
  const double step = 2 * M_PI / std::pow(2, bits);
  for (double& q : motion.q) q = step * std::round(q / step);
  const size_t n_v = size_t(model.n_v), samples = motion.tau.size() / n_v;
  Random random(seed);
  std::vector<double> out(n_v, 0.0);
  for (size_t k = 0; k < motion.tau.size(); ++k)
    out[k % n_v] += motion.tau[k] * motion.tau[k] / double(samples);
  for (double& sigma : out) sigma = fraction * std::sqrt(sigma);
  for (size_t k = 0; k < motion.tau.size(); ++k) motion.tau[k] += out[k % n_v] * normal(random);
  return out;
}

}  // namespace torsor::test
