#pragma once
// What a controller is given and gives, as spans and the types of spatial/: gains of one value or one for each column, the dynamics
// of its model, and the errors of a frame.

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
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
  double motor_viscous(int k) const { return table_->motor_viscous[k]; }
  double motor_coulomb(int k) const { return table_->motor_coulomb[k]; }
  bool is_tied(int k) const { return table_->tied[k] != 0; }
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

// A coordinate q[entry], and where it may be: within its limits, or a turn or a metre where there are none.
struct Range {
  size_t entry;
  double lower, upper;
};
// Of the columns that are the rate of one: all, where q has as many entries as v, but those of joints of more than two columns.
inline std::vector<Range> ranges(const Dynamics& dynamics, const torsor_model& model) {
  std::vector<Range> out;
  if (model.n_q != model.n_v) return out;
  for (int body = 1; body < model.n_body; ++body)
    for (int k = model.v_index[body];
         model.v_count[body] < 3 && k < model.v_index[body] + model.v_count[body]; ++k) {
      const torsor_drive& drive = dynamics.drive(k);
      const double* S = model.S_B + 6 * k;
      const double reach = S[0] != 0 || S[1] != 0 || S[2] != 0 ? std::numbers::pi : 1;
      constexpr double none = 1e300;  // infinite: -ffinite-math-only takes isfinite for true
      out.push_back(
          {size_t(k), drive.lower > -none ? drive.lower : -reach, drive.upper < none ? drive.upper : reach});
    }
  return out;
}

// Leads q up to a summit of f(q), from where f is `top`, and gives f there: one coordinate after another takes steps, of shares of its
// range, that are halved where none leads higher. A summit that is one step of 1e-3 away is higher by its square, 1e-6. It ends after 1000 values
// of f too, so that it takes no minutes with a hundred columns.
template <class Function>
double ascend(const std::vector<Range>& ranges, std::vector<double>& q, double top, Function f) {
  size_t values = 0;
  for (double step = 0.25; step > 1e-3 && values < 1000; values += 2 * ranges.size()) {
    bool higher = false;
    for (const Range& range : ranges)
      for (const double share : {step, -step}) {
        const double at = q[range.entry];
        q[range.entry] = std::clamp(at + share * (range.upper - range.lower), range.lower, range.upper);
        const double found = f(q.data());
        if (found > top * (1 + 1e-9))  // beyond rounding, of an f that does not depend on this coordinate
          higher = true, top = found;
        else
          q[range.entry] = at;
      }
    if (!higher) step /= 2;
  }
  return top;
}

// The largest values found of `count` positive functions of q: of samples, and where the three best of them lead up to. Not a bound: there
// may be a higher summit elsewhere. f(q, values) gives them all.
template <class Function>
std::vector<double> largest_found(const Dynamics& dynamics, const torsor_model& model, size_t count,
                                  Function f) {
  constexpr uint32_t samples = 200, starts = 3;
  const std::vector<Range> free = ranges(dynamics, model);
  std::vector<double> q(size_t(model.n_q)), values(count), largest(count, 0.0);
  std::vector<std::vector<std::pair<double, uint32_t>>> found(count);  // value and number of each sample
  for (uint32_t s = 0; s < samples; ++s) {
    dynamics.configuration(s, q.data());
    f(q.data(), values.data());
    for (size_t i = 0; i < count; ++i) found[i].emplace_back(values[i], s);
  }
  for (size_t i = 0; i < count; ++i) {
    std::partial_sort(found[i].begin(), found[i].begin() + starts, found[i].end(), std::greater<>());
    for (uint32_t s = 0; s < starts; ++s) {
      dynamics.configuration(found[i][s].second, q.data());
      const double top = ascend(free, q, found[i][s].first, [&](const double* at) {
        f(at, values.data());
        return values[i];
      });
      largest[i] = std::max(largest[i], top);
    }
  }
  return largest;
}

// The largest entries found of the diagonal of M (KHALIL 9.6: a_j), [n_v].
inline std::vector<double> largest_inertias(const Dynamics& dynamics, const torsor_model& model) {
  const size_t n = size_t(model.n_v);
  std::vector<double> M(n * n);
  return largest_found(dynamics, model, n, [&](const double* q, double* a) {
    dynamics.mass_matrix(q, M.data());
    for (size_t j = 0; j < n; ++j) a[j] = M[j * n + j];
  });
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
