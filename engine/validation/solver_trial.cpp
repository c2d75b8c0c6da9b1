// The validation of solvers: their checks, and the calls of their hot functions.

#include <algorithm>

#include "torsor/batch/state_block.hpp"
#include "torsor/plugin/plugin_table.hpp"
#include "torsor/plugin/trace_table.hpp"
#include "torsor/sdk/ext/solver_batch.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

void add_derivative_calls(HotCalls& calls, const torsor_state& s, const double* in) {
  const torsor_model& model = calls.model();
  const size_t n = size_t(model.n_v), n_body = size_t(model.n_body);
  const torsor_plugin* self = calls.plugin().get();
  const auto partials =
      table_or_zeros<torsor_solver_partials>(calls.plugin(), TORSOR_SOLVER_PARTIALS);
  if (const auto f = partials.inverse_partials)
    calls.add("inverse_partials", {{"dtau_dq", n * n}, {"dtau_dv", n * n}},
              [=, &model, &s](double* work, std::span<double* const> r) {
                return f(self, &model, &s, in, work, r[0], r[1]);
              });
  if (const auto f = partials.forward_partials)
    calls.add("forward_partials", {{"dvdot_dq", n * n}, {"dvdot_dv", n * n}, {"dvdot_dtau", n * n}},
              [=, &model, &s](double* work, std::span<double* const> r) {
                return f(self, &model, &s, in, work, r[0], r[1], r[2]);
              });
  if (const auto f = partials.second_partials)
    calls.add("second_partials",
              {{"d2tau_dqdq", n * n * n},
               {"d2tau_dvdq", n * n * n},
               {"d2tau_dvdv", n * n * n},
               {"dM_dq", n * n * n}},
              [=, &model, &s](double* work, std::span<double* const> r) {
                return f(self, &model, &s, in, work, r[0], r[1], r[2], r[3]);
              });
  const auto rates = table_or_zeros<torsor_solver_rates>(calls.plugin(), TORSOR_SOLVER_RATES);
  constexpr size_t most = TORSOR_MAX_ORDER;
  const double *motion = calls.guarded_random("motion.vdot", (most + 1) * n, 4),
               *F_B = calls.guarded_random("motion.F_B", 6 * most * n_body, 4);
  if (const auto f = rates.rates)
    calls.add("rates", {{"tau", size_t(rates.max_order + 1) * n}},
              [=, &model, &s, order = rates.max_order](double* work, std::span<double* const> r) {
                torsor_motion_rates given{sizeof given, order, motion, nullptr, nullptr, F_B};
                const torsor_status status = f(self, &model, &s, &given, work, r[0]);
                if (TORSOR_STATUS_CODE(status) != TORSOR_UNSUPPORTED) return status;
                given.F_B = nullptr;  // a plugin may support constant wrenches only
                return f(self, &model, &s, &given, work, r[0]);
              });
  if (const auto f = rates.equation_rates)
    calls.add("equation_rates",
              {{"M", 3 * n * n}, {"C", 3 * n * n}, {"g", 3 * n}, {"Q", 3 * n}, {"tau", 3 * n}},
              [=, &model, &s](double* work, std::span<double* const> r) {
                const torsor_motion_rates given{sizeof given, 2, motion, nullptr, nullptr, F_B};
                torsor_equation_rates result{sizeof result, r[0], r[1], r[2], r[3], r[4]};
                return f(self, &model, &s, &given, work, &result);
              });
  const auto trace = table_or_zeros<torsor_solver_trace>(calls.plugin(), TORSOR_SOLVER_TRACE);
  if (const auto f = trace.trace) {
    const size_t size = TraceTable(trace, model).size;
    calls.add("trace", {{"out", size}}, [=, &model, &s](double* work, std::span<double* const> r) {
      std::fill_n(r[0], size, 0.0);
      return f(self, &model, &s, in, work, r[0]);
    });
  }
}

// Adds the functions for blocks of states. The lanes are the state with different velocities.
template <size_t lanes>
void add_block_calls(HotCalls& calls, const State& state, const torsor_solver_batch& batch) {
  struct alignas(8 * lanes) Register {
    double lane[lanes];
  };
  const auto copy = [&](const char* name, const double* values, size_t rows) {
    const auto* registers = reinterpret_cast<const Register*>(values);
    return reinterpret_cast<const double*>(calls.guarded_copy(name, registers, rows));
  };
  const torsor_model& model = calls.model();
  const size_t n = size_t(model.n_v), n_body = size_t(model.n_body);
  StateBatch states(state.model_ptr(), lanes);
  states.add_wrenches();
  states.set_world(state);
  for (size_t k = 0; k < lanes; ++k) {
    states.set(k, state);
    for (size_t i = 0; i < n; ++i) states.v()[i * states.stride() + k] *= 1 + 0.1 * double(k);
  }
  StateBlock block(state.model_ptr(), lanes);
  block.load(states, 0, lanes);
  torsor_state s = block.view(true, true);
  s.q = copy("block.q", s.q, size_t(model.n_q));
  s.v = copy("block.v", s.v, n);
  s.X_PB = copy("block.X_PB", s.X_PB, 12 * n_body);
  s.V_W = copy("block.V_W", s.V_W, 6);
  s.A_W = copy("block.A_W", s.A_W, 6);
  s.F_B = copy("block.F_B", s.F_B, 6 * n_body);
  s.min_pivot = copy("block.min_pivot", s.min_pivot, n_body);
  std::vector<Register> drawn(n);
  for (Register& row : drawn) std::ranges::copy(calls.drawn(lanes, 4), row.lane);
  const double* in = copy("block.vdot", n > 0 ? drawn[0].lane : s.v, n);
  const torsor_plugin* self = calls.plugin().get();
  const auto result = [](const char* name, size_t rows) {
    return HotResult{name, rows * lanes, sizeof(Register)};
  };
  const auto api = sdk::known_members(*batch.solver);
  const std::vector<uint32_t> nonzero = path_entries(*state.model_ptr());
  for (const QuantityRow& row : quantities) {
    const SolverMember& member = row.member;
    if (!member.is_offered(api)) continue;
    const size_t count = entries(row.quantity, n);
    calls.add(fmt::format("{} of a block", member.name), {result(row.result, count)},
              [=, &model](double* work, std::span<double* const> r) {
                // The plugin need not write the entries of M that are zero.
                if (row.quantity == Quantity::mass_matrix && !nonzero.empty())
                  for (size_t i = 0; i < count; ++i)
                    if (!std::ranges::binary_search(nonzero, i))
                      std::fill_n(r[0] + i * lanes, lanes, 0.0);
                return member.call(api, self, &model, &s, in, work, r[0]);
              });
  }
  if (batch.rates) {
    const auto rates = sdk::known_members(*batch.rates);
    const size_t count = size_t(rates.max_order + 1) * n;
    std::vector<Register> motion(count);
    for (Register& row : motion) std::ranges::copy(calls.drawn(lanes, 4), row.lane);
    const double* vdot = copy("block.motion", count > 0 ? motion[0].lane : s.v, count);
    if (const auto f = rates.rates)
      calls.add("rates of a block", {result("tau", count)},
                [=, &model, order = rates.max_order](double* work, std::span<double* const> r) {
                  const torsor_motion_rates given{sizeof given, order,   vdot,
                                                  nullptr,      nullptr, nullptr};
                  return f(self, &model, &s, &given, work, r[0]);
                });
  }
  if (!batch.partials) return;
  const auto partials = sdk::known_members(*batch.partials);
  if (const auto f = partials.inverse_partials)
    calls.add("inverse_partials of a block", {result("dtau_dq", n * n), result("dtau_dv", n * n)},
              [=, &model](double* work, std::span<double* const> r) {
                return f(self, &model, &s, in, work, r[0], r[1]);
              });
  if (const auto f = partials.forward_partials)
    calls.add("forward_partials of a block",
              {result("dvdot_dq", n * n), result("dvdot_dv", n * n), result("dvdot_dtau", n * n)},
              [=, &model](double* work, std::span<double* const> r) {
                return f(self, &model, &s, in, work, r[0], r[1], r[2]);
              });
}

void add_block_calls(HotCalls& calls, const State& state) {
  const auto batch = table_or_zeros<torsor_solver_batch>(calls.plugin(), TORSOR_SOLVER_BATCH);
  if (batch.lanes == 8) add_block_calls<8>(calls, state, batch);
  if (batch.lanes == 4) add_block_calls<4>(calls, state, batch);
  if (batch.lanes == 2) add_block_calls<2>(calls, state, batch);
}

void add_solver_calls(HotCalls& calls, const State& state, bool) {
  const torsor_model& model = calls.model();
  const size_t n = size_t(model.n_v);
  const torsor_state& s = calls.guarded_copy(state, true);
  const auto api = table_of<torsor_solver>(calls.plugin(), TORSOR_SOLVER);
  const torsor_plugin* self = calls.plugin().get();
  const double* in = calls.guarded_random("vdot", n, 4);
  for (const QuantityRow& row : quantities) {
    const SolverMember& member = row.member;
    if (!member.is_offered(api)) continue;
    calls.add(member.name, {{row.result, entries(row.quantity, n)}},
              [=, &model, &s](double* work, std::span<double* const> r) {
                return member.call(api, self, &model, &s, in, work, r[0]);
              });
  }
  add_derivative_calls(calls, s, in);
  add_block_calls(calls, state);
}

void make_solver(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters) {
  (void)trial.registry().solver(trial.info().id, at.model, parameters);
}

}  // namespace

TrialKind solver_trial() {
  return {.name = Solver::kind,
          .checks = {term_checks, solver_checks, derivative_checks, trace_checks},
          .is_timed = true,
          .is_of_motors = false,
          .make = make_solver,
          .add_calls = add_solver_calls};
}

}  // namespace torsor::validation
