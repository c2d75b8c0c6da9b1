#pragma once
// What a controller is given and gives, as spans and the types of spatial/: gains of one value or one for each column, the dynamics
// of its model, and the errors of a frame.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "torsor/sdk/torsor_plugin.hpp"
#include "torsor/spatial/screw.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::sdk {

// Of parameters in prepare(): one value for all columns, or one for each; none: `otherwise`.
inline void fit_columns(std::vector<double>& values, int n_v, const std::string& name, double otherwise) {
  if (values.empty()) values = {otherwise};
  if (values.size() == 1) values.resize(size_t(n_v), values[0]);
  if (values.size() != size_t(n_v))
    throw bad_argument("its '" + name + "' has " + std::to_string(values.size()) + " values for " +
                       std::to_string(n_v) + " columns: give one, or one for each");
}

// Viscous and Coulomb friction of a drive at a rate, none of the latter at rest.
inline double friction(const torsor_drive& drive, double v) {
  return drive.viscous * v + drive.coulomb * double((v > 0) - (v < 0));
}

// Whether a torque is cut at its limit while `push`, the torque of an error that is integrated, would drive it further there: then the
// integral is to stand still, or it winds up and has to be unwound by an error of the other sign.
inline bool winds_up(double tau, double max_torque, double push) {
  return std::abs(tau) >= max_torque && tau * push > 0;
}

// The host's dynamics of the controller's model (torsor_dynamics). A call that fails ends the plugin's own with its status.
class Dynamics {
 public:
  Dynamics() = default;
  explicit Dynamics(const torsor_host& host)
      : table_(static_cast<const torsor_dynamics*>(host.get_service(&host, TORSOR_HOST_DYNAMICS))) {
    if (!table_) throw unsupported("this host has no " TORSOR_HOST_DYNAMICS);
  }

  const torsor_drive& drive(int k) const { return table_->drive[k]; }
  void configuration(uint32_t number, double* q) const { require(table_->configuration(table_, number, q)); }
  void inverse(const double* q, const double* v, const double* vdot, double* tau) const {
    require(table_->inverse(table_, q, v, vdot, tau));
  }
  void mass_matrix(const double* q, double* M) const { require(table_->mass_matrix(table_, q, M)); }
  void bias(const double* q, const double* v, double* b) const { require(table_->bias(table_, q, v, b)); }
  void gravity(const double* q, double* g) const { require(table_->gravity(table_, q, g)); }
  void frame(const torsor_frame& F, const double* q, const double* v, double* X_WF, double* J,
             double* Jdot_v) const {
    require(table_->frame(table_, &F, q, v, X_WF, J, Jdot_v));
  }
  bool has_rates() const { return table_->inverse_rates != nullptr; }
  void inverse_rates(const double* q, const double* v, const double* vdot, const double* vddot,
                     const double* vdddot, double* tau, double* tau_dot, double* tau_ddot) const {
    require(table_->inverse_rates(table_, q, v, vdot, vddot, vdddot, tau, tau_dot, tau_ddot));
  }
  void regressor(const double* q, const double* v, const double* v_r, const double* a_r, double* Y) const {
    require(table_->regressor(table_, q, v, v_r, a_r, Y));
  }

 private:
  static void require(torsor_status status) {
    if (status != TORSOR_OK) throw Failure(status, "");
  }
  const torsor_dynamics* table_ = nullptr;
};

// The largest entries of the diagonal of M over configurations within the limits of the joints (KHALIL 9.6: a_j), [n_v].
inline std::vector<double> largest_inertias(const Dynamics& dynamics, const torsor_model& model) {
  constexpr uint32_t samples = 500;
  const size_t n = size_t(model.n_v);
  std::vector<double> q(size_t(model.n_q)), M(n * n), a(n, 0.0);
  for (uint32_t k = 0; k < samples; ++k) {
    dynamics.configuration(k, q.data());
    dynamics.mass_matrix(q.data(), M.data());
    for (size_t j = 0; j < n; ++j) a[j] = std::max(a[j], M[j * n + j]);
  }
  return a;
}

// A symmetric positive definite matrix A [n][n] by rows becomes its factor L, A = L L^T, in its lower triangle. False where a pivot
// is not above `least` of the largest entry of the diagonal: A is singular to that.
inline bool factor(double* A, size_t n, double least) {
  double largest = 0;
  for (size_t j = 0; j < n; ++j) largest = std::max(largest, A[j * n + j]);
  for (size_t j = 0; j < n; ++j) {
    double pivot = A[j * n + j];
    for (size_t k = 0; k < j; ++k) pivot -= A[j * n + k] * A[j * n + k];
    if (!(pivot > least * largest)) return false;
    A[j * n + j] = std::sqrt(pivot);
    for (size_t i = j + 1; i < n; ++i) {
      double sum = A[i * n + j];
      for (size_t k = 0; k < j; ++k) sum -= A[i * n + k] * A[j * n + k];
      A[i * n + j] = sum / A[j * n + j];
    }
  }
  return true;
}
// L L^T x = b, in place.
inline void solve(const double* L, size_t n, double* x) {
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < i; ++k) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; ++k) x[i] -= L[k * n + i] * x[k];
    x[i] /= L[i * n + i];
  }
}

// How far a frame is from where it ought to be, as (angle times axis of the rotation from F to F_d, p_d - p), in the axes of the world:
// log(R_d R^T) has the derivative omega_d - omega where they are close (KHALIL 9.37).
inline Twist<double> frame_error(const Pose<double>& X_WF, const Pose<double>& X_d) {
  return {log_so3(X_d.R * transpose(X_WF.R)), X_d.p - X_WF.p};
}

}  // namespace torsor::sdk
