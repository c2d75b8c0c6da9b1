// controller.@NAME@: PD of each joint with the torque of gravity,
//   tau = K_p e + K_d (v_r - v) + g(q)
// e is the displacement from q to the reference q_d, and v_r its velocity; the host takes both on every kind of joint. g is of the model that the
// scene lets the controller believe in.

#include "torsor/sdk/control_view.hpp"
#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Controller {
  static constexpr const char* id = "controller.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "PD of each joint with the torque of gravity";
  static constexpr torsor_param params[] = {  // name, unit, help, min, max, initial, how many (0: any number)
      sdk::real("kp", "N m/rad", "proportional gains, one or one for each column", 0, sdk::no_limit, 0, 0),
      sdk::real("kd", "N m s/rad", "derivative gains", 0, sdk::no_limit, 0, 0),
  };
  static constexpr torsor_signal signals[] = {sdk::signal("gravity", "", 0)};  // recorded as ROBOT.@NAME@.gravity

  std::vector<double> kp, kd;
  sdk::Dynamics dynamics;

  // [setup] The values of params[index], which the host has checked.
  void set_param(uint32_t index, std::span<const double> values) {
    (index == 0 ? kp : kd).assign(values.begin(), values.end());
  }

  // [setup] Once for each model, after its parameters.
  void prepare(const torsor_model& model, torsor_sizes& sizes, const torsor_host& host) {
    dynamics = sdk::Dynamics(host);
    sdk::fit_columns(kp, model.n_v, "kp", 100);
    sdk::fit_columns(kd, model.n_v, "kd", 20);
    sizes.work_doubles = size_t(model.n_v);
  }

  // [hot] From any thread: no allocation, no lock, no throw, nothing kept but what out.memory and out.xdot are for.
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
