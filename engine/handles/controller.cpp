#include "torsor/handles/controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "torsor/base/hash.hpp"
#include "torsor/plugin/plugin_table.hpp"

namespace torsor {

namespace {

void check_sizes(const torsor_sizes& sizes, const std::string& id) {
  constexpr size_t most = 1'000'000;
  if (sizes.n_x > most)
    throw Error(fmt::format("controller '{}' requests {} continuous states, which is too many", id,
                            sizes.n_x));
  if (sizes.n_memory > most)
    throw Error(fmt::format("controller '{}' requests {} numbers of memory, which is too many", id,
                            sizes.n_memory));
}

// Returns the names of the joints with a dof that has no motor, such as "'base', 'wheel'".
std::string passive_joints(const Model& model) {
  std::string out;
  for (const Joint& joint : model.joints)
    if (std::any_of(model.drives.begin() + joint.v_index,
                    model.drives.begin() + joint.v_index + traits(joint.kind).n_v,
                    [](const Drive& drive) { return drive.passive; }))
      out += fmt::format("{}'{}'", out.empty() ? "" : ", ", joint.name);
  return out;
}

}  // namespace

Controller::Controller(ConfiguredPlugin configured, std::unique_ptr<DynamicsService> dynamics)
    : dynamics_(std::move(dynamics)),
      plugin_(std::move(configured.plugin)),
      settings_(std::move(configured.settings)),
      view_(model().view()) {
  plugin_->provide(TORSOR_HOST_DYNAMICS, dynamics_->table());
  api_ = table_of<torsor_controller>(*plugin_, TORSOR_CONTROLLER);
  const std::string passive = passive_joints(model());
  if (api_.all_joints && !passive.empty() && !dynamics_->is_closed())
    throw UnsupportedModel(
        fmt::format("controller '{}' needs a motor at every joint, but there is none at {}; use a "
                    "controller that does without, such as controller.pd_gravity, or set {}",
                    id(), passive, how_to_add_motors),
        "a joint has no motor");
  if (dynamics_->is_closed() && api_.reference == TORSOR_REFERENCE_FRAME)
    throw UnsupportedModel(
        fmt::format("controller '{}' moves a frame, and its map to the joints does not know closed "
                    "loops; use a controller of joints, such as controller.computed_torque",
                    id()),
        "the model has closures");
  sizes_ = prepare(*plugin_, view_);
  note_ = plugin_->report();
  if (!passive.empty())
    note_ += (note_.empty() ? "" : "; ") + ("no torque at " + passive + ": no motor");
  check_sizes(sizes_, id());
  for (const torsor_signal& signal : sdk::known_rows(api_.signal, api_.n_signal)) {
    const size_t count = signal.count == 0 ? size_t(model().n_v) : signal.count;
    signals_.push_back(
        {signal.name, signal.unit, count, signal.count == 0, signal.is_acceleration != 0});
    n_signal_ += count;
  }
  // Allocates the memory once, so that a lack of memory is reported here and not in the first call.
  (void)WorkArea(sizes_.work_doubles);
}

uint64_t Controller::fingerprint() const {
  Hash hash;
  hash.add(torsor::fingerprint(descriptor(), model(), settings_));
  hash.add(torsor::fingerprint(model()));
  hash.add(dynamics_->solver_id());
  return hash.value();
}

Controller::Result Controller::make_result() const {
  return {.tau = LentArray<double>(size_t(model().n_v)),
          .xdot = LentArray<double>(sizes_.n_x),
          .memory = LentArray<double>(sizes_.n_memory),
          .signal = LentArray<double>(n_signal_),
          .work = WorkArea(sizes_.work_doubles)};
}

torsor_status Controller::call(const torsor_control_input& input, Result& result) const {
  std::fill(result.tau.begin(), result.tau.end(), 0.0);
  std::fill(result.xdot.begin(), result.xdot.end(), 0.0);
  std::fill(result.signal.begin(), result.signal.end(), 0.0);
  if (input.memory) std::copy_n(input.memory, result.memory.size(), result.memory.begin());
  torsor_control_output out{.struct_size = sizeof out,
                            .tau = result.tau.data(),
                            .xdot = result.xdot.data(),
                            .memory = result.memory.data(),
                            .signal = result.signal.data()};
#ifndef NDEBUG
  std::ranges::fill(result.work, std::numeric_limits<double>::signaling_NaN());
#endif
  const torsor_status status = plugin_->ask("evaluate", api_.evaluate, plugin_->get(), &view_,
                                            &input, result.work.data(), &out);
  const torsor_status guards =
      check_guards(result.tau, result.xdot, result.memory, result.signal, result.work);
  return guards == TORSOR_OK ? status : guards;
}

Status Controller::evaluate(const torsor_control_input& input, Result& result) const {
  const torsor_status status = call(input, result);
#ifndef NDEBUG
  // Repeats the call. The results differ if the plugin reads its work area or keeps hidden state.
  Result again = make_result();
  if (call(input, again) != status || bits_differ(again.tau, result.tau) ||
      bits_differ(again.xdot, result.xdot) || bits_differ(again.memory, result.memory) ||
      bits_differ(again.signal, result.signal))
    throw std::logic_error(fmt::format(
        "controller '{}' returned two different results for the same call: it has hidden state",
        id()));
#endif
  if (status != TORSOR_OK) return {status};
  // The number in the status is the index of the first value that is not finite. The index counts
  // the entries of tau, xdot, memory and signals, in this order.
  int k = 0;
  for (const LentArray<double>* part : {&result.tau, &result.xdot, &result.memory, &result.signal})
    for (const double value : *part) {
      if (!std::isfinite(value)) return {TORSOR_STATUS(Status::not_finite, k)};
      ++k;
    }
  return {};
}

std::string Controller::explain(Status status) const {
  const int code = TORSOR_STATUS_CODE(status.value);
  if (code == Status::altered)
    return fmt::format("controller '{}': evaluate {}", id(), host_state_text(status.value));
  if (code == Status::overrun) {
    constexpr const char* lent[] = {"tau", "xdot", "memory", "signal", "work"};
    return fmt::format("controller '{}': evaluate {}", id(), overrun_text(status.value, lent));
  }
  if (code != Status::not_finite) {
    const std::string reason = plugin_->report();
    if (reason.empty() || reason == note_)
      return fmt::format("controller '{}' failed in evaluate: {}", id(),
                         dynamics_->explain(status));
    return fmt::format("controller '{}' failed in evaluate: {}{}{}", id(),
                       failure_text(status.value, reason), dynamics_->reason().empty() ? "" : ": ",
                       dynamics_->reason());
  }
  int k = TORSOR_STATUS_BODY(status.value);
  std::string what;
  if (k < model().n_v) {
    what = fmt::format("torque at joint '{}'", model().joint_of_dof(k).name);
  } else if ((k -= model().n_v) < int(sizes_.n_x)) {
    what = fmt::format("rate of its state {}", k + 1);
  } else if ((k -= int(sizes_.n_x)) < int(sizes_.n_memory)) {
    what = fmt::format("number {} of its memory", k + 1);
  } else {
    k -= int(sizes_.n_memory);
    size_t signal = 0;
    for (; signal + 1 < signals_.size() && k >= int(signals_[signal].count); ++signal)
      k -= int(signals_[signal].count);
    what = fmt::format("signal '{}'", signals_[signal].name);
  }
  return fmt::format("controller '{}': evaluate returns a {} that is not a finite number", id(),
                     what);
}

}  // namespace torsor
