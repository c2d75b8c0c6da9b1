#include "torsor/validation/hot_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "torsor/mechanics/kinematics.hpp"
#include "torsor/plugin/plugin_table.hpp"
#include "torsor/plugin/trace_table.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

template <class T>
const T* HotCalls::give(const std::string& name, const T* values, size_t count) {
  if (!values) return nullptr;
  auto array = std::make_unique<GuardedArray>(name, count * sizeof(T), alignof(T));
  if (count > 0) std::memcpy(array->data<T>(), values, count * sizeof(T));
  array->make_read_only();
  const T* out = array->data<T>();
  arrays_.push_back(std::move(array));
  return out;
}

const torsor_model& HotCalls::give_model(const torsor_model& m) {
  const size_t n_body = size_t(m.n_body), n_v = size_t(m.n_v);
  model_ = m;
  model_.parent = give("model.parent", m.parent, n_body);
  model_.v_index = give("model.v_index", m.v_index, n_body);
  model_.v_count = give("model.v_count", m.v_count, n_body);
  model_.S_B = give("model.S_B", m.S_B, 6 * n_v);
  model_.inertia_B = give("model.inertia_B", m.inertia_B, 10 * n_body);
  model_.armature = give("model.armature", m.armature, n_v);
  model_.X_PB0 = give("model.X_PB0", m.X_PB0, 12 * n_body);
  return model_;
}

const torsor_state& HotCalls::give_state(const State& state, bool loaded) {
  const size_t n_body = size_t(model_.n_body);
  const torsor_state from = state.view();
  const std::vector<double> pivots(n_body, 0.0);  // only a pivot of exactly zero is singular
  auto s = std::make_unique<torsor_state>(from);
  s->q = give("state.q", from.q, size_t(model_.n_q));
  s->v = give("state.v", from.v, size_t(model_.n_v));
  s->X_PB = give("state.X_PB", from.X_PB, 12 * n_body);
  s->V_W = give("state.V_W", from.V_W, 6);
  s->A_W = give("state.A_W", from.A_W, 6);
  s->F_B = loaded ? give("state.F_B", from.F_B, 6 * n_body) : nullptr;
  s->min_pivot = loaded ? give("state.min_pivot", pivots.data(), n_body) : nullptr;
  states_.push_back(std::move(s));
  return *states_.back();
}

std::vector<double> HotCalls::drawn(size_t count, double size) {
  return random_values(at_.random, int(count), size);
}

void HotCalls::add_solver(std::vector<HotCall>& out, const State& state, bool) {
  const size_t n = size_t(model_.n_v);
  const torsor_state& s = give_state(state, true);
  const auto api = table_of<torsor_solver>(*plugin_, TORSOR_SOLVER);
  const torsor_plugin* self = plugin_->get();
  const double* in = give("vdot", drawn(n, 4).data(), n);
  for (const QuantityRow& row : quantities) {
    const SolverMember& member = row.member;
    if (!member.is_offered(api)) continue;
    out.push_back({member.name,
                   {{row.result, entries(row.quantity, n)}},
                   [=, this, &s](double* work, std::span<double* const> r) {
                     return member.call(api, self, &model_, &s, in, work, r[0]);
                   }});
  }
  add_derivatives(out, s, in);
}

void HotCalls::add_derivatives(std::vector<HotCall>& out, const torsor_state& s, const double* in) {
  const size_t n = size_t(model_.n_v), n_body = size_t(model_.n_body);
  const torsor_plugin* self = plugin_->get();
  const auto partials = table_or_zeros<torsor_solver_partials>(*plugin_, TORSOR_SOLVER_PARTIALS);
  if (const auto f = partials.inverse_partials)
    out.push_back({"inverse_partials",
                   {{"dtau_dq", n * n}, {"dtau_dv", n * n}},
                   [=, this, &s](double* work, std::span<double* const> r) {
                     return f(self, &model_, &s, in, work, r[0], r[1]);
                   }});
  if (const auto f = partials.forward_partials)
    out.push_back({"forward_partials",
                   {{"dvdot_dq", n * n}, {"dvdot_dv", n * n}, {"dvdot_dtau", n * n}},
                   [=, this, &s](double* work, std::span<double* const> r) {
                     return f(self, &model_, &s, in, work, r[0], r[1], r[2]);
                   }});
  if (const auto f = partials.second_partials)
    out.push_back({"second_partials",
                   {{"d2tau_dqdq", n * n * n},
                    {"d2tau_dvdq", n * n * n},
                    {"d2tau_dvdv", n * n * n},
                    {"dM_dq", n * n * n}},
                   [=, this, &s](double* work, std::span<double* const> r) {
                     return f(self, &model_, &s, in, work, r[0], r[1], r[2], r[3]);
                   }});
  const auto rates = table_or_zeros<torsor_solver_rates>(*plugin_, TORSOR_SOLVER_RATES);
  constexpr size_t most = TORSOR_MAX_ORDER;
  const double *motion = give("motion.vdot", drawn((most + 1) * n, 4).data(), (most + 1) * n),
               *F_B = give("motion.F_B", drawn(6 * most * n_body, 4).data(), 6 * most * n_body);
  if (const auto f = rates.rates)
    out.push_back(
        {"rates",
         {{"tau", size_t(rates.max_order + 1) * n}},
         [=, this, &s, order = rates.max_order](double* work, std::span<double* const> r) {
           torsor_motion_rates given{sizeof given, order, motion, nullptr, nullptr, F_B};
           const torsor_status status = f(self, &model_, &s, &given, work, r[0]);
           if (TORSOR_STATUS_CODE(status) != TORSOR_UNSUPPORTED) return status;
           given.F_B = nullptr;  // a plugin may support constant wrenches only
           return f(self, &model_, &s, &given, work, r[0]);
         }});
  if (const auto f = rates.equation_rates)
    out.push_back({"equation_rates",
                   {{"M", 3 * n * n}, {"C", 3 * n * n}, {"g", 3 * n}, {"Q", 3 * n}, {"tau", 3 * n}},
                   [=, this, &s](double* work, std::span<double* const> r) {
                     const torsor_motion_rates given{sizeof given, 2,       motion,
                                                     nullptr,      nullptr, F_B};
                     torsor_equation_rates result{sizeof result, r[0], r[1], r[2], r[3], r[4]};
                     return f(self, &model_, &s, &given, work, &result);
                   }});
  const auto trace = table_or_zeros<torsor_solver_trace>(*plugin_, TORSOR_SOLVER_TRACE);
  if (const auto f = trace.trace) {
    const size_t size = TraceTable(trace, model_).size;
    out.push_back(
        {"trace", {{"out", size}}, [=, this, &s](double* work, std::span<double* const> r) {
           std::fill_n(r[0], size, 0.0);
           return f(self, &model_, &s, in, work, r[0]);
         }});
  }
}

void HotCalls::add_force(std::vector<HotCall>& out, const State& state, bool) {
  const size_t n_body = size_t(model_.n_body), n_v = size_t(model_.n_v), n_x = sizes_.n_x;
  const torsor_state& s = give_state(state, false);
  std::vector<Pose<double>> X(n_body);
  std::vector<Twist<double>> V(n_body);
  world_poses(state, X);
  body_twists(state, V);
  const double* X_WB = give("kinematics.X_WB", X[0].R.m, 12 * n_body);
  const double* V_WB_B = give("kinematics.V_WB_B", &V[0].w.x, 6 * n_body);
  const double* x = give("x", drawn(n_x, 0.1).data(), n_x);
  const auto evaluate = table_of<torsor_force>(*plugin_, TORSOR_FORCE).evaluate;
  out.push_back({"evaluate",
                 {{"F_B", 6 * n_body}, {"tau", n_v}, {"xdot", n_x}, {"energy", 2}},
                 [=, this, &s](double* work, std::span<double* const> r) {
                   std::fill_n(r[0], 6 * n_body, 0.0);
                   std::fill_n(r[1], n_v, 0.0);
                   std::fill_n(r[2], n_x, 0.0);
                   const torsor_kinematics where{sizeof where, X_WB, V_WB_B};
                   torsor_force_out given{sizeof given, r[0], r[1], r[2], 0, 0};
                   const torsor_status status =
                       evaluate(plugin_->get(), &model_, &s, &where, x, work, &given);
                   r[3][0] = given.energy;
                   r[3][1] = given.energy_rate;
                   return status;
                 }});
}

// Adds calls with a random reference near the state, of the joints or of a frame, as the plugin
// requires. At the goal, the reference of the joints equals the state and is at rest.
void HotCalls::add_controller(std::vector<HotCall>& out, const State& state, bool is_at_goal) {
  const size_t n = size_t(model_.n_v), n_q = size_t(model_.n_q), n_x = sizes_.n_x,
               n_memory = sizes_.n_memory;
  const auto api = table_of<torsor_controller>(*plugin_, TORSOR_CONTROLLER);
  const bool joints = api.reference == TORSOR_REFERENCE_JOINTS,
             frame = api.reference == TORSOR_REFERENCE_FRAME;
  const auto numbers = [&](const char* name, size_t count, double size) {
    return give(name, drawn(count, size).data(), count);
  };
  torsor_control_input input{};
  input.struct_size = sizeof input;
  input.time = state.time;
  input.period = n_memory > 0 || sizes_.n_x > 0 ? 1e-3 : 0;
  input.q = give("input.q", state.q().data(), n_q);
  input.v = give("input.v", state.v.data(), n);
  const std::vector<double> limits(n, std::numeric_limits<double>::infinity());
  input.max_torque = give("input.max_torque", limits.data(), n);
  if (joints) {
    std::vector<double> e = drawn(n, is_at_goal ? 0 : 0.1), q_d(n_q);
    integrate(state.model(), state.q().data(), e.data(), 1, q_d.data());
    input.e = give("input.e", e.data(), n);
    input.q_d = give("input.q_d", q_d.data(), n_q);
    for (auto [field, name] : {std::pair{&input.v_d, "input.v_d"},
                               {&input.vdot_d, "input.vdot_d"},
                               {&input.vddot_d, "input.vddot_d"},
                               {&input.vdddot_d, "input.vdddot_d"},
                               {&input.v_r, "input.v_r"},
                               {&input.a_r, "input.a_r"}})
      *field = numbers(name, n, is_at_goal ? 0 : 1);
  }
  if (frame) {
    const Pose<double> X = at_.random.pose(0.5);
    input.X_d = give("input.X_d", X.R.m, 12);
    input.V_d = numbers("input.V_d", 6, 1);
    input.Vdot_d = numbers("input.Vdot_d", 6, 1);
  }
  input.x = numbers("input.x", n_x, 0.1);
  const double* memory = input.memory = numbers("input.memory", n_memory, 0.1);
  input.motor_q = input.q;
  input.motor_v = numbers("input.motor_v", n, 1);
  size_t n_signal = 0;
  for (const torsor_signal& signal : sdk::known_rows(api.signal, api.n_signal))
    n_signal += signal.count == 0 ? n : signal.count;
  out.push_back({"evaluate",
                 {{"tau", n}, {"xdot", n_x}, {"memory", n_memory}, {"signal", n_signal}},
                 [=, this](double* work, std::span<double* const> r) {
                   std::fill_n(r[0], n, 0.0);
                   std::fill_n(r[1], n_x, 0.0);
                   std::copy_n(memory, n_memory, r[2]);
                   std::fill_n(r[3], n_signal, 0.0);
                   torsor_control_output given{sizeof given, r[0], r[1], r[2], r[3]};
                   return api.evaluate(plugin_->get(), &model_, &input, work, &given);
                 }});
}

void HotCalls::add_trajectory(std::vector<HotCall>& out, const State&, bool) {
  const auto api = table_of<torsor_trajectory>(*plugin_, TORSOR_TRAJECTORY);
  torsor_motion motion{};
  motion.struct_size = sizeof motion;
  if (api.describe(plugin_->get(), &motion) != TORSOR_OK)
    throw Failed(fmt::format("describe fails: {}", plugin_->report()));
  const double t = at_.random.uniform(0, std::isfinite(motion.duration) ? motion.duration : 10);
  for (int order = 0; order <= std::clamp(motion.order, 0, int(TORSOR_MAX_ORDER)); ++order) {
    const size_t size = motion.kind == TORSOR_MOTION_OF_FRAME ? size_t(12 + 6 * order)
                                                              : size_t((order + 1) * model_.n_v);
    out.push_back({fmt::format("evaluate (order {})", order),
                   {{"out", size}},
                   [=, this](double* work, std::span<double* const> r) {
                     return api.evaluate(plugin_->get(), t, order, work, r[0]);
                   }});
  }
}

HotCalls::HotCalls(Trial& trial, uint64_t number) : at_(trial.one_case(number)) {
  trial.stage().set(fmt::format("on robot {} (seed {})", number, at_.seed));
  const std::vector<Parameter> parameters = trial.parameters(at_, number);
  try {
    plugin_ = trial.registry().object(trial.info().id, *at_.model, parameters);
    if (trial.kind().is_of_motors) {
      dynamics_ = trial.dynamics(at_);
      plugin_->provide(TORSOR_HOST_DYNAMICS, dynamics_->table());
    }
    // Prepares the plugin with arrays that become inaccessible afterwards. The arrays of the host
    // are valid only during the call, so the plugin must not keep pointers to them.
    const torsor_model& setup = give_model(at_.model->view());
    sizes_ = prepare(*plugin_, *give("model", &setup, 1));
  } catch (const Error& error) {
    throw Failed(error.what());
  }
  for (const auto& array : arrays_) array->withdraw();
  give_model(at_.model->view());
  for (std::vector<HotCall>& calls : calls_) {
    (this->*trial.kind().add_calls)(calls, at_.state, &calls == &calls_[1]);
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
