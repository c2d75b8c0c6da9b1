// The validation of controllers: the calls of their hot functions.

#include <algorithm>
#include <limits>
#include <utility>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

// Adds calls with a random reference near the state, of the joints or of a frame, as the plugin
// requires. At the goal, the reference of the joints equals the state and is at rest.
void add_controller_calls(HotCalls& calls, const State& state, bool is_at_goal) {
  const torsor_model& model = calls.model();
  const torsor_plugin* self = calls.plugin().get();
  const size_t n = size_t(model.n_v), n_q = size_t(model.n_q), n_x = calls.sizes().n_x,
               n_memory = calls.sizes().n_memory;
  const auto api = table_of<torsor_controller>(calls.plugin(), TORSOR_CONTROLLER);
  const bool joints = api.reference == TORSOR_REFERENCE_JOINTS,
             frame = api.reference == TORSOR_REFERENCE_FRAME;
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.time = state.time;
  input.period = n_memory > 0 || calls.sizes().n_x > 0 ? 1e-3 : 0;
  input.q = calls.guarded_copy("input.q", state.q().data(), n_q);
  input.v = calls.guarded_copy("input.v", state.v.data(), n);
  const std::vector<double> limits(n, std::numeric_limits<double>::infinity());
  input.max_torque = calls.guarded_copy("input.max_torque", limits.data(), n);
  input.tau_upper = calls.guarded_copy("input.tau_upper", limits.data(), n);
  const std::vector<double> lowest(n, -std::numeric_limits<double>::infinity());
  input.tau_lower = calls.guarded_copy("input.tau_lower", lowest.data(), n);
  if (joints) {
    std::vector<double> e = calls.drawn(n, is_at_goal ? 0 : 0.1), q_d(n_q);
    integrate(state.model(), state.q().data(), e.data(), 1, q_d.data());
    input.e = calls.guarded_copy("input.e", e.data(), n);
    input.q_d = calls.guarded_copy("input.q_d", q_d.data(), n_q);
    for (auto [field, name] : {std::pair{&input.v_d, "input.v_d"},
                               {&input.vdot_d, "input.vdot_d"},
                               {&input.vddot_d, "input.vddot_d"},
                               {&input.vdddot_d, "input.vdddot_d"},
                               {&input.v_r, "input.v_r"},
                               {&input.a_r, "input.a_r"}})
      *field = calls.guarded_random(name, n, is_at_goal ? 0 : 1);
  }
  if (frame) {
    const Pose<double> X = calls.random().pose(0.5);
    input.X_d = calls.guarded_copy("input.X_d", X.R.m, 12);
    input.V_d = calls.guarded_random("input.V_d", 6, 1);
    input.Vdot_d = calls.guarded_random("input.Vdot_d", 6, 1);
  }
  input.x = calls.guarded_random("input.x", n_x, 0.1);
  const double* memory = input.memory = calls.guarded_random("input.memory", n_memory, 0.1);
  input.motor_q = input.q;
  input.motor_v = calls.guarded_random("input.motor_v", n, 1);
  size_t n_signal = 0;
  for (const torsor_signal& signal : sdk::known_rows(api.signal, api.n_signal))
    n_signal += signal.count == 0 ? n : signal.count;
  calls.add("evaluate", {{"tau", n}, {"xdot", n_x}, {"memory", n_memory}, {"signal", n_signal}},
            [=, &model](double* work, std::span<double* const> r) {
              std::fill_n(r[0], n, 0.0);
              std::fill_n(r[1], n_x, 0.0);
              std::copy_n(memory, n_memory, r[2]);
              std::fill_n(r[3], n_signal, 0.0);
              torsor_control_output given{sizeof given, r[0], r[1], r[2], r[3]};
              return api.evaluate(self, &model, &input, work, &given);
            });
}

void make_controller(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters) {
  (void)Controller({trial.registry().object(trial.info().id, at.model, parameters)},
                   trial.dynamics(at));
}

}  // namespace

TrialKind controller_trial() {
  return {.name = Controller::kind,
          .checks = {},
          .is_timed = false,
          .is_of_motors = true,
          .make = make_controller,
          .add_calls = add_controller_calls};
}

}  // namespace torsor::validation
