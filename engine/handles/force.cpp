#include "torsor/handles/force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "torsor/plugin/plugin_table.hpp"

namespace torsor {

Force::Force(ConfiguredPlugin configured, std::shared_ptr<const Model> model)
    : plugin_(std::move(configured.plugin)),
      model_(std::move(model)),
      settings_(std::move(configured.settings)),
      view_(model_->view()),
      sizes_(prepare(*plugin_, view_)) {
  constexpr size_t most_states = 1'000'000;
  if (sizes_.n_x > most_states)
    throw Error(fmt::format("force '{}' requests {} continuous states, which is too many", id(),
                            sizes_.n_x));
  api_ = table_of<torsor_force>(*plugin_, TORSOR_FORCE);
  // Allocates the memory once, so that a lack of memory is reported here and not in the first call.
  (void)WorkArea(sizes_.work_doubles);
}

Force::Result Force::make_result() const {
  return {.F_B = LentArray<Wrench<double>>(size_t(model_->n_body)),
          .tau = LentArray<double>(size_t(model_->n_v)),
          .xdot = LentArray<double>(sizes_.n_x),
          .work = WorkArea(sizes_.work_doubles)};
}

torsor_status Force::call(const torsor_state& state, const torsor_kinematics& kinematics,
                          const double* x, Result& result) const {
  std::fill(result.F_B.begin(), result.F_B.end(), Wrench<double>{});
  std::fill(result.tau.begin(), result.tau.end(), 0.0);
  std::fill(result.xdot.begin(), result.xdot.end(), 0.0);
  torsor_force_out out{.struct_size = sizeof out,
                       .F_B = reinterpret_cast<double*>(result.F_B.data()),
                       .tau = result.tau.data(),
                       .xdot = result.xdot.data(),
                       .energy = 0,
                       .energy_rate = 0};
#ifndef NDEBUG
  std::ranges::fill(result.work, std::numeric_limits<double>::signaling_NaN());
#endif
  const torsor_status status = plugin_->ask("evaluate", api_.evaluate, plugin_->get(), &view_,
                                            &state, &kinematics, x, result.work.data(), &out);
  result.energy = out.energy;
  result.energy_rate = out.energy_rate;
  const torsor_status guards = check_guards(result.F_B, result.tau, result.xdot, result.work);
  return guards == TORSOR_OK ? status : guards;
}

Status Force::evaluate(const State& at, const Kinematics& where, const double* x,
                       Result& result) const {
  torsor_state state = at.view();
  state.F_B = nullptr;
  const torsor_kinematics kinematics{
      .struct_size = sizeof kinematics,
      .X_WB = reinterpret_cast<const double*>(where.X_WB.data()),
      .V_WB_B = reinterpret_cast<const double*>(where.V_WB_B.data())};
  const torsor_status status = call(state, kinematics, x, result);
#ifndef NDEBUG
  // Repeats the call. The results differ if the plugin reads its work area or keeps hidden state.
  Result again = make_result();
  if (call(state, kinematics, x, again) != status || bits_differ(again.F_B, result.F_B) ||
      bits_differ(again.tau, result.tau) || bits_differ(again.xdot, result.xdot))
    throw std::logic_error(fmt::format(
        "force '{}' returned two different results for the same call: it has hidden state", id()));
#endif
  if (status != TORSOR_OK) return {status};
  // The number in the status is the index of the first value that is not finite. The index counts
  // the wrenches of the bodies, the torques of the dof, the rates of the states, the energy and its
  // rate.
  int k = 0;
  for (const Wrench<double>& F : result.F_B) {
    if (!all_finite(&F.n.x, 6)) return {TORSOR_STATUS(Status::not_finite, k)};
    ++k;
  }
  for (const std::span<const double> part :
       {std::span<const double>(result.tau), std::span<const double>(result.xdot),
        std::span<const double>(&result.energy, 1),
        std::span<const double>(&result.energy_rate, 1)})
    for (const double value : part) {
      if (!std::isfinite(value)) return {TORSOR_STATUS(Status::not_finite, k)};
      ++k;
    }
  return {};
}

std::string Force::explain(Status status) const {
  const int code = TORSOR_STATUS_CODE(status.value);
  if (code == Status::overrun) {
    constexpr const char* lent[] = {"F_B", "tau", "xdot", "work"};
    return fmt::format("force '{}': evaluate {}", id(), overrun_text(status.value, lent));
  }
  if (code != Status::not_finite)
    return fmt::format("force '{}' failed in evaluate: {}", id(),
                       failure_text(status.value, plugin_->report()));
  int k = TORSOR_STATUS_BODY(status.value);
  std::string what;
  if (k < model_->n_body) {
    what = k == 0 ? "a wrench on the world"
                  : fmt::format("a wrench on the body of joint '{}'", model_->joint_of_body(k));
  } else if ((k -= model_->n_body) < model_->n_v) {
    what = fmt::format("a torque at joint '{}'", model_->joint_of_dof(k).name);
  } else if ((k -= model_->n_v) < int(sizes_.n_x)) {
    what = fmt::format("a rate of its state {}", k + 1);
  } else {
    what = k == int(sizes_.n_x) ? "an energy" : "a rate of its energy";
  }
  return fmt::format("force '{}': evaluate returns {} that is not a finite number", id(), what);
}

}  // namespace torsor
