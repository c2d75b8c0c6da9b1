// Controllers: joint PD with gravity compensation, gravity compensation alone, feed-forward of the
// torques along the reference, and the time derivatives of these torques as signals.
//
// pd_gravity (KHALIL 9.12):  tau = K_p e + K_d (v_r - v) + Q, with Q at q or at q_d
//   The function V = v^T M v / 2 + e^T K_p e / 2 (9.11) has the rate
//     Vdot = v^T (tau - Q(q)) + e^T K_p e'
//   without friction, because M vdot + C v = tau - Q(q) and Mdot - 2 C is skew-symmetric (9.14,
//   9.15). For a constant q_d, e' = -v. With Q at q, the rate is then -v^T K_d v (9.16).
//   For a spherical, planar or floating joint, e' = -v - [e, v] / 2 - .., with the Lie bracket of
//   its screws. V then has this rate only if e^T K_p [e, v] = 0 for all e and v. This is true for a
//   spherical joint with equal K_p. It is not true for a planar or floating joint, which prepare()
//   reports.
//   The arm is stable with Q(q_d) if K_p > |dQ/dq| (9.3.2). prepare() reports this condition too.
// gravity_compensation:  tau = Q(q). feed_forward, with the friction of the model at v_d:
//   tau = M(q_d) vdot_d + C(q_d, v_d) v_d + Q(q_d) + friction + K_p e + K_d (v_r - v)
// torque_rates:  tau = 0. The signals are tau_d = M vdot_d + C v_d + Q at the reference and its
// first and second time derivatives (second-order inverse dynamics, MK 35, 45).

#include "gravity_bound.hpp"
#include "pd_gains.hpp"

using namespace torsor;
using controllers::derivative, controllers::PdGains, controllers::proportional;

namespace {

// Returns whether e^T K_p [e, v] = 0 for every joint and all e and v. c(i; j, l) are the structure
// constants: [S_j, S_l] = sum_i c(i; j, l) S_i. The condition is K_p(i) c(i; j, l) + K_p(j) c(j; i,
// l) = 0 for all i, j, l. The dot products below are valid because the screws of a joint with
// several dof are unit axes.
bool keep_lyapunov(const torsor_model& model, const std::vector<double>& kp) {
  const auto* S = reinterpret_cast<const Twist<double>*>(model.S_B);
  const auto c = [&](int i, int j, int l) {
    const Twist<double> bracket = ad(S[j], S[l]);
    return dot(S[i].w, bracket.w) + dot(S[i].v, bracket.v);
  };
  for (int body = 1; body < model.n_body; ++body) {
    const int first = model.v_index[body], end = first + model.v_count[body];
    for (int i = first; i < end; ++i)
      for (int j = first; j < end; ++j)
        for (int l = first; l < end; ++l)
          if (kp[size_t(i)] * c(i, j, l) + kp[size_t(j)] * c(j, i, l) != 0) return false;
  }
  return true;
}

struct PdGravity {
  static constexpr const char* id = "controller.pd_gravity";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "joint PD plus gravity compensation at the measured or the desired position";
  static constexpr const char* places[] = {"measured", "desired", nullptr};
  static constexpr torsor_param params[] = {
      proportional, derivative,
      sdk::choice("gravity", "position at which gravity is computed", places, 0)};
  static constexpr torsor_signal signals[] = {sdk::signal("lyapunov", "J", 1),
                                              sdk::signal("lyapunov_rate", "W", 1)};

  PdGains gains;
  bool desired = false;
  sdk::Dynamics dynamics;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 2)
      desired = values[0] == 1;
    else
      (index == 0 ? gains.kp : gains.kd).assign(values.begin(), values.end());
  }
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    gains.require();
    gains.fit(model);
    sizes.work_doubles = 3 * size_t(model.n_v);
    std::string note = desired ? controllers::gravity_condition(dynamics, model, gains.kp) : "";
    if (!keep_lyapunov(model, gains.kp))
      note += std::string(note.empty() ? "" : "; ") +
              "the signal 'lyapunov' may rise: it falls only if each joint of several degrees of "
              "freedom is spherical, with equal kp";
    if (!note.empty()) host.report(&host, TORSOR_OK, note.c_str());
  }
  // Equations: KHALIL 9.11, 9.16. Work: Q(q), Q of the law, and M v + Q(q), [n_v] each.
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    double *Q = work, *Q_law = work + n, *tau = work + 2 * n;
    std::fill_n(Q_law, n, 0.0);
    dynamics.gravity(in.q, Q);
    dynamics.inverse(in.q, Q_law, in.v, tau);
    for (size_t k = 0; k < n; ++k)
      out.signal[0] += 0.5 * (in.v[k] * (tau[k] - Q[k]) + gains.kp[k] * in.e[k] * in.e[k]);
    std::copy_n(Q, n, Q_law);
    if (desired) dynamics.gravity(in.q_d, Q_law);
    for (size_t k = 0; k < n; ++k) out.tau[k] = gains.torque(in, k) + Q_law[k];
    sdk::release_passive(in, n, out.tau);
    for (size_t k = 0; k < n; ++k)
      out.signal[1] +=
          in.v[k] * (out.tau[k] - Q[k]) + gains.kp[k] * in.e[k] * (in.v_r[k] - in.v[k]);
    return TORSOR_OK;
  }
};

struct GravityCompensation {
  static constexpr const char* id = "controller.gravity_compensation";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "gravity compensation only, so that the arm can be guided by hand";
  static constexpr int32_t reference = TORSOR_REFERENCE_NONE;

  sdk::Dynamics dynamics;

  void prepare(const torsor_model&, torsor_sizes&, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    dynamics.gravity(in.q, out.tau);
    sdk::release_passive(in, size_t(model.n_v), out.tau);
    return TORSOR_OK;
  }
};

struct FeedForward {
  static constexpr const char* id = "controller.feed_forward";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "inverse dynamics of the reference motion, plus joint PD";
  static constexpr torsor_param params[] = {
      proportional, derivative,
      sdk::flag("friction", "include the model's friction in the torques", true)};

  PdGains gains;
  bool friction = true;
  sdk::Dynamics dynamics;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 2)
      friction = values[0] != 0;
    else
      (index == 0 ? gains.kp : gains.kd).assign(values.begin(), values.end());
  }
  void prepare(const torsor_model& model, torsor_sizes&, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    gains.fit(model);
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    dynamics.inverse(in.q_d, in.v_d, in.vdot_d, out.tau);
    for (size_t k = 0; k < size_t(model.n_v); ++k)
      out.tau[k] +=
          gains.torque(in, k) + (friction ? sdk::friction(dynamics.drive(int(k)), in.v_d[k]) : 0);
    sdk::release_passive(in, size_t(model.n_v), out.tau);
    return TORSOR_OK;
  }
};

struct TorqueRates {
  static constexpr const char* id = "controller.torque_rates";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "no torque; the torques of the reference motion and their time derivatives as signals";
  static constexpr torsor_signal signals[] = {sdk::signal("tau_d", "", 0),
                                              sdk::signal("tau_d_dot", "/s", 0),
                                              sdk::signal("tau_d_ddot", "/s^2", 0)};

  sdk::Dynamics dynamics;

  void prepare(const torsor_model&, torsor_sizes&, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    if (!dynamics.has_rates())
      throw sdk::unsupported(
          "the solver of the control model offers no time derivatives of torques; set solver = "
          "\"newton_euler\"");
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    std::fill_n(out.tau, n, 0.0);
    dynamics.inverse_rates(in.q_d, in.v_d, in.vdot_d, in.vddot_d, in.vdddot_d, out.signal,
                           out.signal + n, out.signal + 2 * n);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(PdGravity, GravityCompensation, FeedForward, TorqueRates)
