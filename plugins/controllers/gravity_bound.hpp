#pragma once
// The stability condition K_p > |dQ/dq| on the proportional gains (KHALIL 9.3.2; Tomei 1991).
// Controllers report in prepare() whether their gains satisfy it.

#include "torsor/sdk/control_view.hpp"

namespace torsor::controllers {

// Returns the largest 2-norm of dQ/dq found within the joint limits, N m/rad. Requires n_q = n_v.
// Computes dQ/dq by central differences over the coordinates. Computes the norm by power iteration:
// its square is the largest eigenvalue of (dQ/dq)^T dQ/dq.
inline double gravity_stiffness(const sdk::Dynamics& dynamics, const torsor_model& model) {
  constexpr double h = 1e-5;
  const size_t n = size_t(model.n_v);
  std::vector<double> q(n), above(n), below(n), K(n * n), x(n), y(n);
  return sdk::largest_found(dynamics, model, 1, [&](const double* at, double* norm) {
    q.assign(at, at + n);
    for (size_t j = 0; j < n; ++j) {
      q[j] = at[j] + h;
      dynamics.gravity(q.data(), above.data());
      q[j] = at[j] - h;
      dynamics.gravity(q.data(), below.data());
      q[j] = at[j];
      for (size_t i = 0; i < n; ++i) K[i * n + j] = (above[i] - below[i]) / (2 * h);
    }
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
      *norm = std::sqrt(std::sqrt(size));
      if (size == 0) break;
      for (size_t j = 0; j < n; ++j) x[j] = y[j] / std::sqrt(size);
    }
  })[0];
}

inline std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}

// Returns a sentence that reports whether the smallest gain of the joints that follow no other
// joint exceeds the largest |dQ/dq| found.
// Returns "" if there are no gains, or if n_q differs from n_v.
inline std::string gravity_condition(const sdk::Dynamics& dynamics, const torsor_model& model,
                                     const std::vector<double>& kp) {
  if (model.n_q != model.n_v || kp.empty()) return "";
  const double found = gravity_stiffness(dynamics, model);
  double least = sdk::no_limit;
  for (size_t k = 0; k < kp.size(); ++k)
    if (dynamics.mimic(int(k)).leader < 0) least = std::min(least, kp[k]);
  return "the stability condition K_p > |dQ/dq| " +
         std::string(least > found ? "holds at all sampled positions" : "does not hold") +
         ": the smallest gain is " + number(least) + " N m/rad, the largest |dQ/dq| found is " +
         number(found) + " N m/rad";
}

}  // namespace torsor::controllers
