#include "torsor/validation/hot_call.hpp"

#include <fmt/format.h>

#include <cstring>
#include <iterator>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

const std::byte* HotCalls::guarded_bytes(const std::string& name, const void* values, size_t bytes,
                                         size_t alignment) {
  auto array = std::make_unique<GuardedArray>(name, bytes, alignment);
  if (bytes > 0) std::memcpy(array->data<std::byte>(), values, bytes);
  array->make_read_only();
  const std::byte* out = array->data<std::byte>();
  arrays_.push_back(std::move(array));
  return out;
}

const torsor_model& HotCalls::guarded_copy(const torsor_model& m) {
  const size_t n_body = size_t(m.n_body), n_v = size_t(m.n_v);
  model_ = m;
  model_.parent = guarded_copy("model.parent", m.parent, n_body);
  model_.v_index = guarded_copy("model.v_index", m.v_index, n_body);
  model_.v_count = guarded_copy("model.v_count", m.v_count, n_body);
  model_.S_B = guarded_copy("model.S_B", m.S_B, 6 * n_v);
  model_.inertia_B = guarded_copy("model.inertia_B", m.inertia_B, 10 * n_body);
  model_.armature = guarded_copy("model.armature", m.armature, n_v);
  model_.X_PB0 = guarded_copy("model.X_PB0", m.X_PB0, 12 * n_body);
  return model_;
}

const torsor_state& HotCalls::guarded_copy(const State& state, bool loaded) {
  const size_t n_body = size_t(model_.n_body);
  const torsor_state from = state.view();
  const std::vector<double> pivots(n_body, 0.0);  // only a pivot of exactly zero is singular
  auto s = std::make_unique<torsor_state>(from);
  s->q = guarded_copy("state.q", from.q, size_t(model_.n_q));
  s->v = guarded_copy("state.v", from.v, size_t(model_.n_v));
  s->X_PB = guarded_copy("state.X_PB", from.X_PB, 12 * n_body);
  s->V_W = guarded_copy("state.V_W", from.V_W, 6);
  s->A_W = guarded_copy("state.A_W", from.A_W, 6);
  s->F_B = loaded ? guarded_copy("state.F_B", from.F_B, 6 * n_body) : nullptr;
  s->min_pivot = loaded ? guarded_copy("state.min_pivot", pivots.data(), n_body) : nullptr;
  states_.push_back(std::move(s));
  return *states_.back();
}

std::vector<double> HotCalls::drawn(size_t count, double size) {
  return random_values(at_.random, int(count), size);
}
const double* HotCalls::guarded_random(const std::string& name, size_t count, double size) {
  return guarded_copy(name, drawn(count, size).data(), count);
}

void HotCalls::add(std::string name, std::vector<HotResult> results, HotCall::Function call) {
  calls_[state_].push_back({std::move(name), std::move(results), std::move(call)});
}

HotCalls::HotCalls(Trial& trial, uint64_t number) : at_(trial.one_case(number)) {
  trial.stage().set(fmt::format("on robot {} (seed {})", number, at_.seed));
  const std::vector<Parameter> parameters = trial.parameters(at_, number);
  try {
    plugin_ = trial.registry().object(trial.info().id, at_.model, parameters);
    if (trial.kind().is_of_motors) {
      dynamics_ = trial.dynamics(at_);
      plugin_->provide(TORSOR_HOST_DYNAMICS, dynamics_->table());
    }
    // Prepares the plugin with arrays that become inaccessible afterwards. The arrays of the host
    // are valid only during the call, so the plugin must not keep pointers to them.
    const torsor_model& setup = guarded_copy(at_.model->view());
    sizes_ = prepare(*plugin_, *guarded_copy("model", &setup, 1));
  } catch (const Error& error) {
    throw Failed(error.what());
  }
  for (const auto& array : arrays_) array->withdraw();
  guarded_copy(at_.model->view());
  for (state_ = 0; state_ < std::size(calls_); ++state_) {
    trial.kind().add_calls(*this, at_.state, state_ == 1);
    at_.state = random_state(at_.model, at_.random);
    add_random_wrenches(at_.random, at_.state);
    if (trial.kind().is_of_motors) at_.state.v.assign(at_.state.v.size(), 0.0);
  }
}
HotCalls::~HotCalls() = default;

std::vector<const GuardedArray*> HotCalls::inputs() const {
  std::vector<const GuardedArray*> out;
  for (const auto& array : arrays_) out.push_back(array.get());
  return out;
}

std::string HotCalls::explain(torsor_status status) const {
  const int body = TORSOR_STATUS_BODY(status);
  return failure_text(TORSOR_STATUS_CODE(status), plugin_->report()) +
         (body > 0 ? fmt::format(" (body {})", body) : "");
}

}  // namespace torsor::validation
