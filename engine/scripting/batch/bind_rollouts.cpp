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

// Returns the number of torques in the first list of tau.
size_t steps_of_torques(const TableReader& table) {
  lua_State* const L = table.state();
  lua_getfield(L, 2, "tau");
  const int list = lua_gettop(L);
  size_t steps = 0;
  if (lua_istable(L, list) && lua_rawgeti(L, list, 1) == LUA_TTABLE)
    steps = size_t(lua_rawlen(L, -1));
  lua_settop(L, list - 1);
  if (steps == 0) table.fail("tau must be a list with a list of torques per step for each state");
  return steps;
}

// Reads tau, a list of torques per step for each state, to [step][n_v][stride].
void read_torques(const TableReader& table, const StateBatch& states, size_t steps,
                  std::span<double> out) {
  const size_t n_v = size_t(states.model().n_v), stride = states.stride();
  lua_State* const L = table.state();
  size_t state = 0;
  const auto read = [&](int index, const Place& place) {
    const size_t count = lua_istable(L, index) ? size_t(lua_rawlen(L, index)) : 0;
    if (state == states.size() || count != steps)
      place.fail(fmt::format("has {} lists of torques; each of the {} states needs {}", count,
                             states.size(), steps));
    for (size_t t = 0; t < steps; ++t) {
      lua_rawgeti(L, index, lua_Integer(t + 1));
      const std::vector<double> u =
          numbers_at(L, lua_gettop(L), place.inside(std::to_string(t + 1)), n_v);
      for (size_t i = 0; i < n_v; ++i) out[(t * n_v + i) * stride + state] = u[i];
      lua_settop(L, index);
    }
    ++state;
  };
  table.each_entry("tau", "a list of torques per step for each state", read);
  if (state < states.size())
    table.fail(fmt::format("tau has {} states, and q has {}", state, states.size()));
}

// The samples of all states: [sample][entries][stride].
class Samples {
 public:
  Samples(size_t entries, size_t count, size_t stride) : entries_(entries) {
    numbers_.reserve(count * entries * stride);
  }
  void add(std::span<const double> rows) {
    numbers_.insert(numbers_.end(), rows.begin(), rows.end());
    ++count_;
  }
  // Pushes a list with one list of samples per state.
  void push(lua_State* L, const StateBatch& states) const {
    std::vector<double> one(entries_);
    lua_createtable(L, int(states.size()), 0);
    for (size_t k = 0; k < states.size(); ++k) {
      lua_createtable(L, int(count_), 0);
      for (size_t t = 0; t < count_; ++t) {
        for (size_t i = 0; i < entries_; ++i)
          one[i] = numbers_[(t * entries_ + i) * states.stride() + k];
        push_list(L, one);
        lua_rawseti(L, -2, lua_Integer(t + 1));
      }
      lua_rawseti(L, -2, lua_Integer(k + 1));
    }
  }

 private:
  std::vector<double> numbers_;
  size_t entries_, count_ = 0;
};

// The steps of a call, and which of them are sampled.
struct Course {
  size_t steps, every;
  size_t samples() const { return steps / every + 1; }
};
Course read_course(const TableReader& table, double dt) {
  if (table.has("tau") == table.has("duration"))
    table.fail("give tau, a list of torques per step for each state, or duration for no torques");
  const size_t steps = table.has("tau")
                           ? steps_of_torques(table)
                           : size_t(step_count(table.number("duration"), dt, "the duration"));
  return {steps, size_t(whole_number(table, "sample_every", 1, 1, 1'000'000))};
}

// Returns the cost of the motions of n states.
CallCost::Size cost_of(const Model& model, const Step& step, size_t n, const Course& course,
                       bool has_torques) {
  const double n_q = model.n_q, n_v = model.n_v, stride = double(StateBatch::stride_of(n)),
               rates = traits(step.method).linearised.rates, samples = double(course.samples());
  constexpr double preparation = 100;  // of solvers and memory, in calls of kernels
  // Vectors [n_v][stride] of Rollouts, its StateBatch and its integrator.
  constexpr double vectors = 30;
  return {preparation + double(n) * double(course.steps) * rates * 0.2,
          double(n) * samples * (n_q + n_v),
          stride * (samples * (n_q + n_v) + vectors * (n_q + n_v) +
                    (has_torques ? double(course.steps) : 1) * n_v)};
}

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
  const Course course = read_course(table, step.dt);
  const bool has_torques = table.has("tau");
  const CallCost cost(L, model, fmt::format("{}: {} motions of {} steps", owner, n, course.steps),
                      cost_of(model, step, n, course, has_torques));
  Rollouts rollouts(d.make_solver, d.state.model_ptr(), step, n);
  StateBatch& states = rollouts.states();
  states.set_world(d.state);
  read_states(table, states);
  const size_t vector = n_v * states.stride();
  std::vector<double> tau(has_torques ? course.steps * vector : vector);
  if (has_torques) read_torques(table, states, course.steps, tau);
  Samples q(size_t(model.n_q), course.samples(), states.stride()),
      v(n_v, course.samples(), states.stride());
  q.add(states.q()), v.add(states.v());
  for (size_t t = 0; t < course.steps; ++t) {
    const double* u = tau.data() + (has_torques ? t * vector : 0);
    if (const BatchStatus status = rollouts.step(u); !status)
      table.fail(
          fmt::format("state {}, step {}: {}", status.state + 1, t + 1, rollouts.explain(status)));
    if ((t + 1) % course.every == 0) q.add(states.q()), v.add(states.v());
  }
  lua_createtable(L, 0, 2);
  q.push(L, states), lua_setfield(L, -2, "q");
  v.push(L, states), lua_setfield(L, -2, "v");
  return 1;
}

}  // namespace torsor::lua
