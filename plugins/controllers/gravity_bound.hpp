#pragma once
// The condition K_p > |dQ/dq| of proportional gains (KHALIL 9.3.2; Tomei 1991), which is said when a controller is prepared.

#include "torsor/sdk/control_view.hpp"

namespace torsor::controllers {

// The largest 2-norm of dQ/dq over configurations within the limits, by differences along the columns of joints that have a
// coordinate. Its square is the largest eigenvalue of (dQ/dq)^T dQ/dq, found by powers of it.
inline double gravity_stiffness(const sdk::Dynamics& dynamics, const torsor_model& model) {
  constexpr uint32_t samples = 200;
  constexpr double h = 1e-5;
  const size_t n = size_t(model.n_v);
  if (model.n_q != model.n_v || n == 0) return 0;
  std::vector<double> q(n), above(n), below(n), K(n * n), x(n), y(n);
  double largest = 0;
  for (uint32_t s = 0; s < samples; ++s) {
    dynamics.configuration(s, q.data());
    for (size_t j = 0; j < n; ++j) {
      const double at = q[j];
      q[j] = at + h;
      dynamics.gravity(q.data(), above.data());
      q[j] = at - h;
      dynamics.gravity(q.data(), below.data());
      q[j] = at;
      for (size_t i = 0; i < n; ++i) K[i * n + j] = (above[i] - below[i]) / (2 * h);
    }
    double norm = 0;
    std::fill(x.begin(), x.end(), 1 / std::sqrt(double(n)));
    for (int power = 0; power < 50; ++power) {
      std::fill(y.begin(), y.end(), 0.0);
      double size = 0;
      for (size_t i = 0; i < n; ++i) {
        double Kx = 0;
        for (size_t j = 0; j < n; ++j) Kx += K[i * n + j] * x[j];
        for (size_t j = 0; j < n; ++j) y[j] += K[i * n + j] * Kx;
      }
      for (const double each : y) size += each * each;
      norm = std::sqrt(std::sqrt(size));
      if (size == 0) break;
      for (size_t j = 0; j < n; ++j) x[j] = y[j] / std::sqrt(size);
    }
    largest = std::max(largest, norm);
  }
  return largest;
}

inline std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

// A sentence on whether the gains satisfy the condition; "" where q has no coordinates for all columns.
inline std::string gravity_condition(const sdk::Dynamics& dynamics, const torsor_model& model,
                                     const std::vector<double>& kp) {
  if (model.n_q != model.n_v || kp.empty()) return "";
  const double bound = gravity_stiffness(dynamics, model), least = *std::min_element(kp.begin(), kp.end());
  return "K_p > |dQ/dq| " + std::string(least > bound ? "holds" : "does not hold") + ": its least gain is " +
         number(least) + ", |dQ/dq| reaches " + number(bound) + " N m/rad";
}

}  // namespace torsor::controllers
