// Laws that compensate gravity, and what a model says beforehand.
//
// pd_gravity (KHALIL 9.12):  tau = K_p e + K_d (v_r - v) + Q(q), or Q(q_d).
//   At rest at q_d, without friction, V = v^T M v / 2 + e^T K_p e / 2 (9.11) has the rate -v^T K_d v (9.16), since e' = -v. Of a curved joint
//   e' = -v - [e, v] / 2 - .. with its Lie bracket, and e^T K_p [e, v] has to be 0 for every e and v: it is where the joint only turns and its
//   K_p are equal (spherical), and not where it turns and slides (planar, floating), as is said when it is prepared. With Q(q_d) the
//   arm is stable where K_p > |dQ/dq| (9.3.2), which is said too.
// elastic_pd (Tomei 1991), of arms with elastic joints, of which it measures the motors theta:
//   tau = K_p (theta_d - theta) - K_d theta_dot + Q(q_d),   theta_d = q_d + e,   k e + c e^3 = Q(q_d) of each spring
// elastic_feed_forward, of the same, open loop or with PD of the motors beside: with tau, tau', tau'' of the links along the reference, by the
//   solver's rates, springs K and motors I_a give (KHALIL 7.35 solved for the motors; exact without friction)
//   theta_d = q_d + K^-1 tau,   tau_m = I_a theta_d'' + tau + K_p (theta_d - theta) + K_d (theta_d' - theta')
//   It takes four derivatives of the reference. Where its jerk jumps, tau' does, and the motor would have to jump: three are continuous.
// gravity_compensation:  tau = Q(q).
// feed_forward:  tau = M(q_d) vdot_d + C(q_d, v_d) v_d + Q(q_d) + friction + K_p e + K_d (v_r - v), friction of the model at v_d.

#include "gravity_bound.hpp"

using namespace torsor;

namespace {

constexpr torsor_param proportional =
    sdk::real("kp", "N m/rad", "proportional gains, one or one for each column", 0, sdk::no_limit, 0, 0);
constexpr torsor_param derivative = sdk::real("kd", "N m s/rad", "derivative gains", 0, sdk::no_limit, 0, 0);

struct Gains {
  std::vector<double> kp, kd;
  void require() const {
    if (kp.empty() && kd.empty()) throw sdk::bad_argument("it has no gains: say kp and kd");
  }
  void fit(const torsor_model& model) {
    sdk::fit_columns(kp, model.n_v, "kp", 0);
    sdk::fit_columns(kd, model.n_v, "kd", 0);
  }
  double torque(const torsor_control_input& in, size_t k) const {
    return kp[k] * in.e[k] + kd[k] * (in.v_r[k] - in.v[k]);
  }
};

// Whether e^T K_p [e, v] = 0 of every joint: K_p(i) c(i; j, l) + K_p(j) c(j; i, l) = 0 with [S_j, S_l] = sum_i c(i; j, l) S_i. The screws of
// joints of several columns are unit axes.
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
      "PD of each joint with the torque of gravity where the arm is, or ought to be";
  static constexpr bool all_joints = true;
  static constexpr const char* places[] = {"measured", "desired", nullptr};
  static constexpr torsor_param params[] = {proportional, derivative,
                                            sdk::choice("gravity", "where gravity is taken", places, 0)};
  static constexpr torsor_signal signals[] = {sdk::signal("lyapunov", "J", 1)};

  Gains gains;
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
              "its lyapunov may rise: it falls where curved joints only turn, each with equal kp";
    if (!note.empty()) host.report(&host, TORSOR_OK, note.c_str());
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    double *g = work, *rest = work + n, *tau = work + 2 * n;  // tau = M v + g
    std::fill_n(rest, n, 0.0);
    dynamics.gravity(in.q, g);
    dynamics.inverse(in.q, rest, in.v, tau);
    for (size_t k = 0; k < n; ++k)
      out.signal[0] += 0.5 * (in.v[k] * (tau[k] - g[k]) + gains.kp[k] * in.e[k] * in.e[k]);
    if (desired) dynamics.gravity(in.q_d, g);
    for (size_t k = 0; k < n; ++k) out.tau[k] = gains.torque(in, k) + g[k];
    return TORSOR_OK;
  }
};

// The stretch e of a spring with k e + c e^3 = tau, k > 0, c >= 0: with e = 2 sqrt(k / 3c) sinh u it is
//   sinh 3u = 3 tau / 2k sqrt(3c / k).   A rigid joint (k = 0) has none.
double stretch(const torsor_drive& drive, double tau) {
  const double k = drive.stiffness, c = drive.spring_cubic;
  if (k == 0) return 0;
  if (c == 0) return tau / k;
  return 2 * std::sqrt(k / (3 * c)) * std::sinh(std::asinh(1.5 * tau / k * std::sqrt(3 * c / k)) / 3);
}

// What laws of the motors of elastic joints have in common.
struct OfElasticMotors {
  static constexpr bool all_joints = true, of_motors = true;
  static constexpr torsor_param params[] = {proportional, derivative};

  Gains gains;
  sdk::Dynamics dynamics;

  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? gains.kp : gains.kd).assign(values.begin(), values.end());
  }
  void require_elastic(const torsor_model& model, const std::string& otherwise) const {
    for (int k = 0; k < model.n_v; ++k)
      if (dynamics.drive(k).stiffness > 0) return;
    throw sdk::unsupported("no joint of its model is elastic: " + otherwise + " is for rigid ones");
  }
};

struct ElasticPd : OfElasticMotors {
  static constexpr const char* id = "controller.elastic_pd";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "PD of the motors of elastic joints with the torque of gravity at the goal";

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    gains.require();
    gains.fit(model);
    require_elastic(model, "pd_gravity");
    sizes.work_doubles = size_t(model.n_v);
    const std::string note = controllers::gravity_condition(dynamics, model, gains.kp);
    if (!note.empty()) host.report(&host, TORSOR_OK, note.c_str());
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* g,
                        torsor_control_output& out) const {
    dynamics.gravity(in.q_d, g);
    for (size_t k = 0; k < size_t(model.n_v); ++k) {
      const double e = stretch(dynamics.drive(int(k)), g[k]);
      out.tau[k] = gains.torque(in, k) + gains.kp[k] * e + g[k];
    }
    return TORSOR_OK;
  }
};

struct ElasticFeedForward : OfElasticMotors {
  static constexpr const char* id = "controller.elastic_feed_forward";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "the torques that motors of elastic joints take for the links to follow the reference, and PD of the "
      "motors";
  static constexpr int32_t smoothness = 3;

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    gains.fit(model);
    if (!dynamics.has_rates())
      throw sdk::unsupported(
          "the solver of its model offers no rates of torques: say solver = \"newton_euler\"");
    bool friction = false;
    for (int k = 0; k < model.n_v; ++k) {
      const torsor_drive& drive = dynamics.drive(k);
      friction |= drive.viscous > 0 || drive.coulomb > 0;
      if (drive.spring_cubic > 0 || drive.spring_damping > 0)
        throw sdk::unsupported(
            "a spring of its model is damped or not linear: theta = q + K^-1 tau does not hold");
    }
    require_elastic(model, "feed_forward");
    if (friction) host.report(&host, TORSOR_OK, "the friction of its model is not among its torques");
    sizes.work_doubles = 3 * size_t(model.n_v);
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* tau,
                        torsor_control_output& out) const {
    const size_t n = size_t(model.n_v);
    double *tau_dot = tau + n, *tau_ddot = tau_dot + n;
    dynamics.inverse_rates(in.q_d, in.v_d, in.vdot_d, in.vddot_d, in.vdddot_d, tau, tau_dot, tau_ddot);
    for (size_t k = 0; k < n; ++k) {
      const torsor_drive& drive = dynamics.drive(int(k));
      const double compliance = drive.stiffness > 0 ? 1 / drive.stiffness : 0;
      out.tau[k] = drive.motor_inertia * (in.vdot_d[k] + compliance * tau_ddot[k]) + tau[k] +
                   gains.kp[k] * (in.e[k] + compliance * tau[k]) +
                   gains.kd[k] * (in.v_r[k] - in.v[k] + compliance * tau_dot[k]);
    }
    return TORSOR_OK;
  }
};

struct GravityCompensation {
  static constexpr const char* id = "controller.gravity_compensation";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "the torque of gravity alone: an arm that can be led by hand";
  static constexpr int32_t reference = TORSOR_REFERENCE_NONE;
  static constexpr bool all_joints = true;

  sdk::Dynamics dynamics;

  void prepare(const torsor_model&, torsor_sizes&, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
  }
  torsor_status control(const torsor_model&, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    dynamics.gravity(in.q, out.tau);
    return TORSOR_OK;
  }
};

struct FeedForward {
  static constexpr const char* id = "controller.feed_forward";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "the torques that the reference takes by the model, and PD of each joint";
  static constexpr bool all_joints = true;
  static constexpr torsor_param params[] = {
      proportional, derivative,
      sdk::flag("friction", "whether the model's friction is among the torques", true)};

  Gains gains;
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
      out.tau[k] += gains.torque(in, k) + (friction ? sdk::friction(dynamics.drive(int(k)), in.v_d[k]) : 0);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(PdGravity, ElasticPd, ElasticFeedForward, GravityCompensation, FeedForward)
