#pragma once
// Tools for controllers: parameters with one value or one per dof, the dynamics of the nominal
// model, and the error of a frame.

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

// Extends a parameter to one value per dof, [n_v], in prepare(). A single value applies to all dof.
// An empty list means `otherwise` for all dof. Throws bad_argument for any other number of values.
inline void fit_per_dof(std::vector<double>& values, int n_v, const std::string& name,
                        double otherwise) {
  if (values.empty()) values = {otherwise};
  if (values.size() == 1) values.resize(size_t(n_v), values[0]);
  if (values.size() != size_t(n_v))
    throw bad_argument("'" + name + "' has " + std::to_string(values.size()) + " values for " +
                       std::to_string(n_v) +
                       " degrees of freedom; give one value, or one for each");
}

// Returns the viscous and Coulomb friction torque of a drive at the rate v. Coulomb friction is 0
// at v = 0.
inline double friction(const torsor_drive& drive, double v) {
  return drive.viscous * v + drive.coulomb * double((v > 0) - (v < 0));
}

// Sets tau [n] to 0 for dof without a motor. Control laws call this function if they compute
// torques for all dof.
inline void release_passive(const torsor_control_input& in, size_t n, double* tau) {
  for (size_t k = 0; k < n; ++k)
    if (in.max_torque[k] == 0) tau[k] = 0;
}

// Returns whether the torque tau of dof k is at its limit and further integration would move it
// beyond (integrator windup). `push` has the sign of the torque that the integral adds. The caller
// must then freeze the integral.
inline bool winds_up(const torsor_control_input& in, size_t k, double tau, double push) {
  return (push > 0 && tau >= in.tau_upper[k]) || (push < 0 && tau <= in.tau_lower[k]);
}

// The dynamics of the controller's nominal model (torsor_dynamics). If a function fails, it throws,
// and the call of the plugin returns the same status.
class Dynamics {
 public:
  Dynamics() = default;
  explicit Dynamics(const torsor_host& host)
      : table_(static_cast<const torsor_dynamics*>(host.get_service(&host, TORSOR_HOST_DYNAMICS))) {
    if (!table_) throw unsupported("this host has no " TORSOR_HOST_DYNAMICS);
  }

  const torsor_drive& drive(int k) const { return table_->drive[k]; }
  const double* stiffness() const { return table_->stiffness; }
  double motor_viscous(int k) const { return table_->motor_viscous[k]; }
  double motor_coulomb(int k) const { return table_->motor_coulomb[k]; }
  bool is_tied(int k) const { return table_->tied[k] != 0; }
  const torsor_mimic& mimic(int k) const { return table_->mimic[k]; }
  void configuration(uint32_t number, double* q) const {
    require(table_->configuration(table_, number, q));
  }
  void inverse(const double* q, const double* v, const double* vdot, double* tau) const {
    require(table_->inverse(table_, q, v, vdot, tau));
  }
  void mass_matrix(const double* q, double* M) const { require(table_->mass_matrix(table_, q, M)); }
  void bias(const double* q, const double* v, double* b) const {
    require(table_->bias(table_, q, v, b));
  }
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
  bool has_regressor() const { return table_->regressor != nullptr; }
  void regressor(const double* q, const double* v, const double* v_r, const double* a_r,
                 double* Y) const {
    require(table_->regressor(table_, q, v, v_r, a_r, Y));
  }

 private:
  static void require(torsor_status status) {
    if (status != TORSOR_OK) throw Failure(status, "");
  }
  const torsor_dynamics* table_ = nullptr;
};

// The range of the coordinate q[entry]: its limits. Without limits, the range is -pi to pi rad or
// -1 to 1 m.
struct Range {
  size_t entry;
  double lower, upper;
};
// Returns the ranges of the coordinates of all joints with one or two dof. Returns an empty list if
// n_q differs from n_v.
inline std::vector<Range> ranges(const Dynamics& dynamics, const torsor_model& model) {
  std::vector<Range> out;
  if (model.n_q != model.n_v) return out;
  for (int body = 1; body < model.n_body; ++body)
    for (int k = model.v_index[body];
         model.v_count[body] < 3 && k < model.v_index[body] + model.v_count[body]; ++k) {
      const torsor_drive& drive = dynamics.drive(k);
      const double* S = model.S_B + 6 * k;
      const double reach = S[0] != 0 || S[1] != 0 || S[2] != 0 ? std::numbers::pi : 1;
      constexpr double none = 1e300;  // -ffinite-math-only breaks isfinite
      out.push_back({size_t(k), drive.lower > -none ? drive.lower : -reach,
                     drive.upper < none ? drive.upper : reach});
    }
  return out;
}

// Maximises f(q) locally by coordinate ascent from q. `top` is f at this q. Sets q to the best
// point found and returns f there. The step is a fraction of the range of each coordinate. It is
// halved if no coordinate increases f, down to about 2e-3. The relative error of a smooth maximum
// is then of the order of the square of the step, 4e-6. Stops after 1000 evaluations, so that the
// search takes only seconds with a hundred dof.
template <class Function>
double ascend(const std::vector<Range>& ranges, std::vector<double>& q, double top, Function f) {
  size_t values = 0;
  for (double step = 0.25; step > 1e-3 && values < 1000; values += 2 * ranges.size()) {
    bool higher = false;
    for (const Range& range : ranges)
      for (const double share : {step, -step}) {
        const double at = q[range.entry];
        q[range.entry] =
            std::clamp(at + share * (range.upper - range.lower), range.lower, range.upper);
        const double found = f(q.data());
        // The margin ignores rounding errors if f does not depend on this coordinate.
        if (found > top * (1 + 1e-9))
          higher = true, top = found;
        else
          q[range.entry] = at;
      }
    if (!higher) step /= 2;
  }
  return top;
}

// Returns the largest value found for each of `count` positive functions of q. f(q, values)
// evaluates all functions. Evaluates 200 configurations and ascends from the best three of each
// function. The result is not an upper bound, because a larger maximum may exist elsewhere.
template <class Function>
std::vector<double> largest_found(const Dynamics& dynamics, const torsor_model& model, size_t count,
                                  Function f) {
  constexpr uint32_t samples = 200, starts = 3;
  const std::vector<Range> free = ranges(dynamics, model);
  std::vector<double> q(size_t(model.n_q)), values(count), largest(count, 0.0);
  std::vector<std::vector<std::pair<double, uint32_t>>> found(count);  // value, configuration
  for (uint32_t s = 0; s < samples; ++s) {
    dynamics.configuration(s, q.data());
    f(q.data(), values.data());
    for (size_t i = 0; i < count; ++i) found[i].emplace_back(values[i], s);
  }
  for (size_t i = 0; i < count; ++i) {
    std::partial_sort(found[i].begin(), found[i].begin() + starts, found[i].end(),
                      std::greater<>());
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

// Returns the largest value found for the inertia of each dof, [n_v] (a_j of KHALIL 9.6): the
// diagonal entry of M. With the dof k that follow dof j with the ratios r_k, and r_j = 1, it is
//   a_j = sum_ik r_i M_ik r_k
// The result is 0 for a dof that follows another one.
inline std::vector<double> largest_inertias(const Dynamics& dynamics, const torsor_model& model) {
  struct Follower {
    size_t dof, leader;
    double ratio, offset;
  };
  const size_t n = size_t(model.n_v);
  std::vector<Follower> followers;
  std::vector<double> M(n * n), q(size_t(model.n_q)), row(n);
  for (size_t k = 0; k < n; ++k)
    if (const auto& [ratio, offset, leader] = dynamics.mimic(int(k)); leader >= 0)
      followers.push_back({k, size_t(leader), ratio, offset});
  return largest_found(dynamics, model, n, [&](const double* at, double* a) {
    q.assign(at, at + q.size());
    // Configurations that were not changed since they were sampled follow already.
    for (const Follower& f : followers)
      if (model.n_q == model.n_v) q[f.dof] = f.ratio * q[f.leader] + f.offset;
    dynamics.mass_matrix(q.data(), M.data());
    for (size_t j = 0; j < n; ++j) {
      std::fill(row.begin(), row.end(), 0.0);
      row[j] = 1;
      for (const Follower& f : followers)
        if (f.leader == j) row[f.dof] = f.ratio;
      a[j] = 0;
      for (size_t i = 0; i < n; ++i)
        for (size_t k = 0; k < n; ++k) a[j] += row[i] * M[i * n + k] * row[k];
    }
    for (const Follower& f : followers) a[f.dof] = 0;
  });
}

// Returns the viscous friction of dof j and of the dof that follow it, at the rate of dof j.
inline double total_viscous(const Dynamics& dynamics, const torsor_model& model, int j) {
  double sum = dynamics.drive(j).viscous;
  for (int k = 0; k < model.n_v; ++k)
    if (const torsor_mimic& mimic = dynamics.mimic(k); mimic.leader == j)
      sum += mimic.ratio * mimic.ratio * dynamics.drive(k).viscous;
  return sum;
}

// Computes the Cholesky factor L of a symmetric positive definite matrix A [n][n] = L L^T, stored
// by rows. Writes L to the lower triangle of A. Returns false if a pivot is not above `least` times
// the largest diagonal entry. A is then numerically singular.
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
// Solves L L^T x = b. x contains b on entry and the solution on return.
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

// Returns the error of a frame in world axes: (axis times angle of the rotation from F to F_d, p_d
// - p). For small errors, the derivative of the rotation part log(R_d R^T) is omega_d - omega
// (KHALIL 9.37).
inline Twist<double> frame_error(const Pose<double>& X_WF, const Pose<double>& X_d) {
  return {log_so3(X_d.R * transpose(X_WF.R)), X_d.p - X_WF.p};
}

}  // namespace torsor::sdk
