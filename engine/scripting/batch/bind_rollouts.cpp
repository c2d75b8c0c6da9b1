// Implements d:rollouts, many motions under given torques.

#include "torsor/planning/rollouts.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/batch/batch_values.hpp"
#include "torsor/scripting/planning/planning_call.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/frame_values.hpp"

namespace torsor::lua {

namespace {

// Reads tau: for each state, a list of torques per step. Returns [step][n_v][stride], and writes
// the number of steps.
std::vector<double> read_torques(const TableReader& table, const StateBatch& states,
                                 size_t& steps) {
  const size_t n_v = size_t(states.model().n_v), stride = states.stride();
  lua_State* const L = table.state();
  std::vector<double> out;
  size_t state = 0;
  table.each_entry(
      "tau", "a list of torques per step for each state", [&](int index, const Place& place) {
        const size_t count = lua_istable(L, index) ? size_t(lua_rawlen(L, index)) : 0;
        if (state == 0) steps = count, out.assign(steps * n_v * stride, 0.0);
        if (state == states.size() || count != steps || steps == 0)
          place.fail(
              fmt::format("must be a list of torques for each of {} steps, for each of {} states",
                          steps, states.size()));
        for (size_t t = 0; t < steps; ++t) {
          lua_rawgeti(L, index, lua_Integer(t + 1));
          const std::vector<double> u =
              numbers_at(L, lua_gettop(L), place.inside(std::to_string(t + 1)), n_v);
          for (size_t i = 0; i < n_v; ++i) out[(t * n_v + i) * stride + state] = u[i];
          lua_settop(L, index);
        }
        ++state;
      });
  if (state < states.size())
    table.fail(fmt::format("tau has {} states, and q has {}", state, states.size()));
  return out;
}

// The samples of all states: [sample][entries][stride].
struct Samples {
  std::vector<double> numbers;
  size_t entries;
  void add(std::span<const double> rows) {
    numbers.insert(numbers.end(), rows.begin(), rows.end());
  }
  // Pushes a list with one list of samples per state.
  void push(lua_State* L, const StateBatch& states) const {
    const size_t stride = states.stride(), count = numbers.size() / (entries * stride);
    std::vector<double> one(entries);
    lua_createtable(L, int(states.size()), 0);
    for (size_t k = 0; k < states.size(); ++k) {
      lua_createtable(L, int(count), 0);
      for (size_t t = 0; t < count; ++t) {
        for (size_t i = 0; i < entries; ++i) one[i] = numbers[(t * entries + i) * stride + k];
        push_list(L, one);
        lua_rawseti(L, -2, lua_Integer(t + 1));
      }
      lua_rawseti(L, -2, lua_Integer(k + 1));
    }
  }
};

}  // namespace

// Implements d:rollouts{ q = rows, v =, tau = lists of torques | duration =, dt =, integrator =,
// sample_every = }. Returns { q =, v = } with the samples of each state, the start first.
int roll_out(lua_State* L) {
  DynamicsObject& d = called(L, "d:rollouts{...}", 1);
  const std::string owner = fmt::format("rollouts in {}", d.owner);
  const TableReader table(L, 2, {owner, ""},
                          {"q", "v", "tau", "duration", "dt", "integrator", "sample_every"});
  require_solver(d);
  const Model& model = d.state.model();
  const Step step{.method = read_step(table).integrator, .dt = table.number("dt")};
  const size_t n = count_states(table), n_v = size_t(model.n_v);
  if (table.has("tau") == table.has("duration"))
    table.fail("give tau, a list of torques per step for each state, or duration for no torques");
  Rollouts rollouts(d.make_solver, d.state.model_ptr(), step, n);
  StateBatch& states = rollouts.states();
  states.set_world(d.state);
  read_states(table, states);
  size_t steps = 0;
  std::vector<double> tau;
  if (table.has("tau"))
    tau = read_torques(table, states, steps);
  else
    steps = size_t(step_count(table.number("duration"), step.dt, "the duration"));
  const auto every = size_t(whole_number(table, "sample_every", 1, 1, 1'000'000));
  const double rates = traits(step.method).linearised.rates, samples = double(steps / every + 1);
  const double numbers = double(n) * samples * double(model.n_q + model.n_v);
  const CallCost cost(L, model, fmt::format("{}: {} motions of {} steps", owner, n, steps),
                      {double(n) * double(steps) * rates * 0.2, numbers, numbers});
  Samples q{{}, size_t(model.n_q)}, v{{}, n_v};
  const std::vector<double> no_torque(tau.empty() ? n_v * states.stride() : 0);
  q.add(states.q()), v.add(states.v());
  for (size_t t = 0; t < steps; ++t) {
    const double* u = tau.empty() ? no_torque.data() : &tau[t * n_v * states.stride()];
    if (const BatchStatus status = rollouts.step(u); !status)
      table.fail(
          fmt::format("state {}, step {}: {}", status.state + 1, t + 1, rollouts.explain(status)));
    if ((t + 1) % every == 0) q.add(states.q()), v.add(states.v());
  }
  lua_createtable(L, 0, 2);
  q.push(L, states), lua_setfield(L, -2, "q");
  v.push(L, states), lua_setfield(L, -2, "v");
  return 1;
}

}  // namespace torsor::lua
