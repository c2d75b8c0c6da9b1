// The derivative of the rates of a motion, for implicit integrators.

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/simulation/motion.hpp"

namespace torsor {

// Equations, for vdot = forward(q, v, f) with the forces f(q, v, theta, theta_dot, memory) at the
// joints:
//
//   d vdot/dz = [f_q, f_v] d(q, v)/dz + f_tau df/dz
//
// where f_q, f_v and f_tau are the partial derivatives of forward dynamics. Forward differences
// provide df/dz and the derivatives of the rates of memory and works. They take no dynamics.
bool Motion::jacobian(double t, const double* z, double* J) {
  const bool is_plain = model().mapped.empty() && constraints_.empty() && !contacts_ &&
                        !contact_springs_ && contact_force_.empty() && !solves_with_inertia() &&
                        !applied_.acts() && !transmissions_.vary();
  if (!is_plain || !solver().has_partials()) return false;
  const size_t n = size_t(mechanism_.n_v), n_u = size_t(mechanism_.n_u), size = z_.size(),
               first_memory = size_t(layout_.first_memory());
  for (std::vector<double>* matrix : {&dvdot_dq_, &dvdot_dv_, &dvdot_dtau_}) matrix->resize(n * n);
  if (!load_rates(t, z, zdot_.data())) return false;
  if (!solver().forward_partials(state(), f_.data(),
                                 {dvdot_dq_.data(), dvdot_dv_.data(), dvdot_dtau_.data()}))
    return false;
  unshifted_force_ = f_;
  shifted_.assign(z, z + size);
  shifted_rate_.resize(size);
  for (size_t j = 0; j < size_t(layout_.first_work()); ++j) {
    double* const column = J + j * size;
    const double step =
        std::sqrt(std::numeric_limits<double>::epsilon()) * std::max(1.0, std::abs(z[j]));
    shifted_[j] = z[j] + step;
    if (!load_rates(t, shifted_.data(), shifted_rate_.data())) return false;
    const double taken = shifted_[j] - z[j];
    shifted_[j] = z[j];
    const auto change_of = [&](size_t i) { return (f_[i] - unshifted_force_[i]) / taken; };
    std::fill_n(column, n_u, 0.0);
    if (j >= n_u && j < 2 * n_u) column[j - n_u] = 1;
    const bool moves_bodies = j < n || (j >= n_u && j < n_u + n);
    const double* partial = j < n_u ? dvdot_dq_.data() + j : dvdot_dv_.data() + (j - n_u);
    for (size_t i = 0; i < n; ++i) {
      double sum = moves_bodies ? partial[i * n] : 0;
      for (size_t k = 0; k < n; ++k) sum += dvdot_dtau_[i * n + k] * change_of(k);
      column[n_u + i] = sum;
    }
    for (size_t i = n; i < n_u; ++i)
      column[n_u + i] = change_of(i) / mechanism_.motor_inertia[i - n];
    for (size_t i = first_memory; i < size; ++i) column[i] = (shifted_rate_[i] - zdot_[i]) / taken;
  }
  return true;
}

}  // namespace torsor
