// controller.@NAME@: PD of each joint with gravity compensation,
//   tau = K_p e + K_d (v_r - v) + g(q)
// e is the displacement from q to the reference q_d, and v_r is the reference velocity in the joint
// axes at q. The host computes e and v_r for every kind of joint. g is the gravity torque of the
// controller's nominal model.

#include "torsor/sdk/control_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Controller {
  static constexpr const char* id = "controller.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "PD of each joint with gravity compensation";
  // name, unit, help, min, max, initial, number of values (0: any number)
  static constexpr torsor_param params[] = {
      sdk::real("kp", "N m/rad", "proportional gains: one, or one per degree of freedom", 0,
                sdk::no_limit, 0, 0),
      sdk::real("kd", "N m s/rad", "derivative gains: one, or one per degree of freedom", 0,
                sdk::no_limit, 0, 0),
  };
  // The signal is recorded in a scene as ROBOT.@NAME@.gravity.
  static constexpr torsor_signal signals[] = {sdk::signal("gravity", "", 0)};

  std::vector<double> kp, kd;
  sdk::Dynamics dynamics;

  // [setup] Sets the values of params[index]. The host has checked their range.
  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? kp : kd).assign(values.begin(), values.end());
  }

  // [setup] Prepares for a model; called after the parameters are set.
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    sdk::fit_per_dof(kp, model.n_v, "kp", 100);
    sdk::fit_per_dof(kd, model.n_v, "kd", 20);
    sizes.work_doubles = size_t(model.n_v);
  }

  // [hot] Computes the torques. May be called from any thread. Must not allocate, lock or throw.
  // Must store state only in out.memory and out.xdot.
  torsor_status control(const torsor_model& model, const torsor_control_input& in, double* work,
                        torsor_control_output& out) const {
    double* g = work;
    dynamics.gravity(in.q, g);
    for (size_t k = 0; k < size_t(model.n_v); ++k) {
      out.tau[k] = kp[k] * in.e[k] + kd[k] * (in.v_r[k] - in.v[k]) + g[k];
      out.signal[k] = g[k];
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Controller)
