// PID of each joint (KHALIL 9.5):
//   tau = K_p e + K_d (v_r - v) + K_i x,   xdot = e
// The user sets the gains, or a resonance frequency omega_r of the structure from which they are
// computed (KHALIL 9.6, 9.7, 9.8, 9.9, 9.10). For each joint j, a is the largest M_jj found within
// the joint limits (A_jj of KHALIL), and F_v is the viscous friction. Both include those of joints
// that follow joint j, which get no gains of their own. They do not include the inertia of motors
// behind elastic joints. The closed loop gets a triple pole at -omega, where omega = omega_r / 2:
//   K_p = 3 a omega^2,   K_d = 3 a omega - F_v,   K_i = a omega^3
// The integral is frozen in three cases (KHALIL's notes to 9.10):
// - |e| is above integral_above. The proportional term is then sufficient.
// - |e| is below integral_below. Integration with Coulomb friction would cause oscillation there.
// - The torque of the joint is saturated, and the integral would move it further.

#include "gravity_bound.hpp"

using namespace torsor;

namespace {

struct Pid {
  static constexpr const char* id = "controller.pid";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "joint PID with anti-windup; gains are given or computed from a resonance frequency";
  static constexpr torsor_param params[] = {
      sdk::real("kp", "N m/rad",
                "proportional gains; one value for all degrees of freedom, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("kd", "N m s/rad",
                "derivative gains; one value for all degrees of freedom, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real("ki", "N m/(rad s)",
                "integral gains; one value for all degrees of freedom, or one for each", 0,
                sdk::no_limit, 0, 0),
      sdk::real(
          "resonance", "rad/s",
          "resonance frequency of the structure, from which gains are computed; 0: gains are given",
          0, sdk::no_limit, 0),
      sdk::real("integral_above", "rad", "stop integrating above this error; 0: no upper bound", 0,
                sdk::no_limit, 0),
      sdk::real("integral_below", "rad", "stop integrating below this error", 0, sdk::no_limit, 0),
  };
  static constexpr torsor_signal signals[] = {sdk::signal("integral", "", 0)};

  std::vector<double> gain[3];  // K_p, K_d, K_i
  double resonance = 0, above = 0, below = 0;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index < 3)
      gain[index].assign(values.begin(), values.end());
    else
      (index == 3 ? resonance : index == 4 ? above : below) = values[0];
  }

  void tune(const torsor_model& model, const sdk::Dynamics& dynamics) {
    const std::vector<double> a = sdk::largest_inertias(dynamics, model);
    const double w = resonance / 2;
    for (size_t k = 0; k < a.size(); ++k) {
      gain[0].push_back(3 * a[k] * w * w);
      gain[1].push_back(std::max(0.0, 3 * a[k] * w - sdk::total_viscous(dynamics, model, int(k))));
      gain[2].push_back(a[k] * w * w * w);
    }
  }

  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    const sdk::Dynamics dynamics(host);
    const bool given = !gain[0].empty() || !gain[1].empty() || !gain[2].empty();
    if (given == (resonance > 0))
      throw sdk::bad_argument(given ? "both gains and resonance are set; set one or the other"
                                    : "no gains are set; set kp, kd and ki, or resonance");
    if (resonance > 0) tune(model, dynamics);
    if (gain[2].empty() && (above > 0 || below > 0))
      throw sdk::bad_argument(
          "integral_above and integral_below have no effect without an integral term; set ki");
    const char* names[] = {"kp", "kd", "ki"};
    for (int g = 0; g < 3; ++g) sdk::fit_per_dof(gain[g], model.n_v, names[g], 0);
    if (above > 0 && below >= above)
      throw sdk::bad_argument(
          "integral_below must be less than integral_above, else the integral term never acts");
    sizes.n_x = size_t(model.n_v);
    std::string note = controllers::gravity_condition(dynamics, model, gain[0]);
    if (resonance > 0) {
      note += note.empty() ? "gains" : "; gains";
      for (int g = 0; g < 3; ++g) {
        note += std::string(g ? ", " : " ") + names[g] + " =";
        for (const double k : gain[g]) note += " " + controllers::number(k);
      }
      for (int k = 0; k < model.n_v; ++k)
        if (dynamics.drive(k).stiffness > 0) {
          note += "; without the inertia of the motors of elastic joints";
          break;
        }
    }
    if (!note.empty()) host.report(&host, TORSOR_OK, note.c_str());
  }

  torsor_status control(const torsor_model& model, const torsor_control_input& in, double*,
                        torsor_control_output& out) const {
    for (size_t k = 0; k < size_t(model.n_v); ++k) {
      if (in.max_torque[k] == 0) continue;
      const double e = in.e[k], integral = gain[2][k] * in.x[k];
      const double tau = gain[0][k] * e + gain[1][k] * (in.v_r[k] - in.v[k]) + integral;
      const bool idle = gain[2][k] == 0 || std::abs(e) < below ||
                        (above > 0 && std::abs(e) > above) || sdk::winds_up(in, k, tau, e);
      out.tau[k] = tau;
      out.xdot[k] = idle ? 0 : e;
      out.signal[k] = integral;
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Pid)
