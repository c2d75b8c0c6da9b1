#pragma once
// Builds the table torsor_controller and its rows of signals (torsor_signal) from the members of a
// plugin struct P ("controller.name"). control_view.hpp has tools for its functions.
//   prepare                may have a third argument, const torsor_host&, for host services
//   control                const, (model, input, work, out); returns torsor_status
//   static reference, all_joints, signals, smoothness, of_motors
//                          as in torsor_controller; default: joints, false, none, 0, false

#include <iterator>

#include "torsor/sdk/adapter.hpp"
#include "torsor/sdk/ext/controller.h"
#include "torsor/sdk/ext/host_dynamics.h"

TORSOR_MINIMAL_SIZE(torsor_control_input, sensor);
TORSOR_MINIMAL_SIZE(torsor_control_output, signal);
TORSOR_MINIMAL_SIZE(torsor_signal, unit);
TORSOR_MINIMAL_SIZE(torsor_controller, evaluate);
TORSOR_MINIMAL_SIZE(torsor_dynamics, mimic);

namespace torsor::sdk {

// A signal of `count` numbers; 0 means one number per dof.
constexpr torsor_signal signal(const char* name, const char* unit, uint32_t count) {
  return {sizeof(torsor_signal), count, 0, name, unit};
}
constexpr torsor_signal acceleration_signal(const char* name) {
  return {sizeof(torsor_signal), 0, 1, name, "1/s^2"};
}

namespace detail {

TORSOR_SDK_MEMBER(control)

template <class P>
torsor_status control(const torsor_plugin* p, const torsor_model* model,
                      const torsor_control_input* input, double* work, torsor_control_output* out) {
  const Adapter<P>& adapter = Adapter<P>::of(p);
  return guarded(adapter.host, [&] {
    return write_covered(out, [&](torsor_control_output& output) {
      return adapter.plugin.control(*model, *input, work, output);
    });
  });
}
template <class P>
constexpr bool offers_control =
    has_member<const P, Call_control, torsor_status, const torsor_model&,
               const torsor_control_input&, double*, torsor_control_output&>();
template <class P>
constexpr torsor_controller make_controller() {
  torsor_controller table{};
  table.struct_size = sizeof(torsor_controller);
  table.reference = TORSOR_REFERENCE_JOINTS;
  if constexpr (requires { P::reference; }) table.reference = P::reference;
  if constexpr (requires { P::all_joints; }) table.all_joints = P::all_joints;
  if constexpr (requires { P::smoothness; }) table.smoothness = P::smoothness;
  if constexpr (requires { P::of_motors; }) table.of_motors = P::of_motors;
  if constexpr (requires { P::signals; }) {
    table.n_signal = uint32_t(std::size(P::signals));
    table.signal = std::data(P::signals);
  }
  if constexpr (offers_control<P>) table.evaluate = &control<P>;
  return table;
}

struct ControllerInterface {
  static constexpr std::string_view kind = "controller";
  static constexpr const char* id = TORSOR_CONTROLLER;
  template <class P>
  static constexpr torsor_controller table = make_controller<P>();
  template <class P>
  static constexpr bool is_offered() {
    static_assert(offers_control<P>, "a controller offers control");
    return true;
  }
};

}  // namespace detail
}  // namespace torsor::sdk
