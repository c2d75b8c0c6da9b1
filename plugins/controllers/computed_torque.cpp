// Computed torque (KHALIL 9.22, 9.24, 9.26, 9.29, 9.31). The law computes a desired joint
// acceleration w. The torque is the inverse dynamics of w, so that vdot = w if the model is exact:
//   tau = M(q) w + C(q, v) v + Q(q) + friction
//
// Form "tracking" (9.24):  w = a_r + K_d (v_r - v) + K_p e + K_i x,   xdot = e
//   Without the integral term, e'' + K_d e' + K_p e = 0 (9.25). The integral x_k is frozen while
//   tau_k is saturated and e_k has the same sign as tau_k. Integrating e_k would then increase
//   |tau_k|, because M_kk > 0.
// Form "position" (9.29):  w = K_p e - K_d v
//
// xi is the damping ratio. If a frequency omega is set, K_p = omega^2 and K_d = 2 xi omega (9.26).
// Otherwise the user sets K_p. K_d defaults to 2 xi sqrt(K_p).
//
// model_at = "desired" evaluates M, C, Q and friction at the reference instead of the measured
// state (predictive dynamic control, 9.31).
//
// If Coulomb friction is compensated with the sign of the measured velocity, the torque chatters at
// rest: the sign changes between samples or within a step. The sign of the reference velocity
// causes no chatter.
//
// The signal w_residual = w - vdot measures the model error: e'' + K_d e' + K_p e = w - vdot
// (9.28).

#include "torsor/sdk/control_view.hpp"

using namespace torsor;

namespace {

struct ComputedTorque {
  static constexpr const char* id = "controller.computed_torque";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "computed torque: inverse dynamics of an acceleration with PID feedback";
  static constexpr bool all_joints = true;
  static constexpr const char* forms[] = {"tracking", "position", nullptr};
  static constexpr const char* places[] = {"measured", "desired", nullptr};
  static constexpr torsor_param params[] = {
      sdk::real("kp", "1/s^2",
                "proportional gains; one value for all degrees of freedom, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("kd", "1/s", "derivative gains; 2 damping_ratio sqrt(kp) if only kp is given", 0,
                sdk::no_limit, 0, 0),
      sdk::real("ki", "1/s^3",
                "integral gains; one value for all degrees of freedom, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("frequency", "rad/s", "natural frequency of the error, instead of kp and kd", 0,
                sdk::no_limit, 0, 0),
      sdk::real("damping_ratio", "1", "damping ratio, instead of kd; default 1", 0, sdk::no_limit,
                0, 0),
      sdk::choice("form", "tracking follows the reference's motion, position only its position",
                  forms, 0),
      sdk::choice("model_at", "state at which the model is evaluated", places, 0),
      sdk::flag("friction", "compensate the model's friction", true),
  };
  static constexpr torsor_signal signals[] = {sdk::acceleration_signal("w")};

  std::vector<double> gain[5];
  bool position = false, desired = false, friction = true;
  sdk::Dynamics dynamics;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index < 5)
      gain[index].assign(values.begin(), values.end());
    else
      (index == 5 ? position : index == 6 ? desired : friction) = values[0] != 0;
  }
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    auto& [kp, kd, ki, frequency, damping_ratio] = gain;
    const bool given = !kp.empty() || !kd.empty();
    if (given == !frequency.empty())
      throw sdk::bad_argument(given ? "both kp or kd and frequency are set; set one or the other"
                                    : "no gains are set; set kp and kd, or frequency");
    if (position && !ki.empty())
      throw sdk::bad_argument("form 'position' has no integral term; remove ki");
    if (!kd.empty() && !damping_ratio.empty())
      throw sdk::bad_argument("both kd and damping_ratio are set; set one or the other");
    const bool damped = !kd.empty();
    const char* names[] = {"kp", "kd", "ki", "frequency", "damping_ratio"};
    for (int g = 0; g < 5; ++g) sdk::fit_per_dof(gain[g], model.n_v, names[g], g == 4 ? 1 : 0);
    for (size_t k = 0; k < kp.size(); ++k) {
      if (!given) kp[k] = frequency[k] * frequency[k];
      if (!damped) kd[k] = 2 * damping_ratio[k] * std::sqrt(kp[k]);
    }
    sizes.n_x = size_t(model.n_v);
    bool coulomb = false;
    for (int k = 0; k < model.n_v; ++k) coulomb |= dynamics.drive(k).coulomb > 0;
    if (coulomb && friction && !desired)
      host.report(
          &host, TORSOR_OK,
          "the torque chatters at rest, because Coulomb friction is compensated by the sign of the "
          "measured velocity; set model_at = \"desired\" or friction = false");
  }
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    const auto& [kp, kd, ki, frequency, damping_ratio] = gain;
    double* w = out.signal;
    for (size_t k = 0; k < size_t(model.n_v); ++k)
      w[k] = position
                 ? kp[k] * in.e[k] - kd[k] * in.v[k]
                 : in.a_r[k] + kd[k] * (in.v_r[k] - in.v[k]) + kp[k] * in.e[k] + ki[k] * in.x[k];
    const double* v = desired ? in.v_d : in.v;
    dynamics.inverse(desired ? in.q_d : in.q, v, w, out.tau);
    for (size_t k = 0; k < size_t(model.n_v); ++k) {
      if (friction && in.max_torque[k] > 0)
        out.tau[k] += sdk::friction(dynamics.drive(int(k)), v[k]);
      const bool idle = ki[k] == 0 || sdk::winds_up(in, k, out.tau[k], in.e[k]);
      out.xdot[k] = idle ? 0 : in.e[k];
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(ComputedTorque)
