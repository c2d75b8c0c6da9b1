// Implements d:batch, the response of a complete motion to its torques.

#include "torsor/planning/absolute_angles.hpp"
#include "torsor/planning/batch.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/planning/planning_call.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/frame_values.hpp"
#include "torsor/scripting/values/read_task.hpp"

namespace torsor::lua {

namespace {

using Eigen::VectorXd;

// Returns whether a list contains lists.
bool are_per_step(const TableReader& table, const char* key) {
  lua_State* const L = table.state();
  lua_getfield(L, 2, key);
  return lua_istable(L, -1) && lua_rawgeti(L, -1, 1) == LUA_TTABLE;
}

// Torques of a number of steps.
struct Torques {
  std::vector<VectorXd> values;  // one for each step, or one for all
  size_t steps;
  const VectorXd& at(size_t t) const { return values.size() == 1 ? values[0] : values[t]; }
};

// Reads tau: a list of torques [n_v] per step, or one such list for all steps of `duration`.
Torques read_torques(const TableReader& table, size_t n_v, double dt) {
  const bool per_step = are_per_step(table, "tau");
  if (table.has("tau") && per_step == table.has("duration"))
    table.fail(per_step ? "has torques per step and duration; the duration follows from tau"
                        : "has one list of torques; give duration, or a list of torques per step");
  if (per_step) {
    Torques out{torques_per_step(table, "tau", n_v), 0};
    out.steps = out.values.size();
    return out;
  }
  return {{stacked(table.numbers("tau", n_v), {})},
          size_t(step_count(table.number("duration"), dt, "the duration"))};
}

}  // namespace

// Implements d:batch{ q =, v =, tau =, duration =, dt =, integrator =, angles = }. Returns { S_x =
// rows, S_tau = rows, q =, v = }, and S_u with angles = "absolute": dx = S_x dx_1 + S_tau dtau over
// all steps, and the states of the motion.
// Equations: RCFS 112.
int respond_in_batch(lua_State* L) {
  auto& d = self<DynamicsObject>(L, dynamics_type, "d:batch{...}");
  const TableReader table(L, 2, {fmt::format("batch in {}", d.owner), ""},
                          {"q", "v", "tau", "duration", "dt", "integrator", "angles"});
  require_solver(d);
  const Model& model = d.state.model();
  const StepRequest request = read_step(table);
  lua_getfield(L, 2, "q");
  const std::vector<double> q = positions_at(L, lua_gettop(L), table.place().inside("q"), model);
  const VectorXd x_1 = stacked(q, table.numbers("v", size_t(model.n_v)));
  const bool absolute = reads_absolute_angles(table);
  const Torques u = read_torques(table, size_t(model.n_v), request.step.dt);
  const double n = model.n_v, T = double(u.steps);
  const CallCost cost(
      L, model, fmt::format("{}: the response over {} steps", d.owner, u.steps),
      {0, (absolute ? 2 : 1) * 2 * n * n * T * (T + 1) + 2 * n * n * (T + 1), 5 * n * n * T});
  Sandbox::of(L).charge_work(
      L, d.owner + ": the response of a motion",
      T * 2 * double(work_of(request, model.n_v)) + (absolute ? 2 : 1) * n * n * n * T * T / 20);
  StepDynamics dynamics(d.make_solver, d.state.model_ptr(), d.state.gravity_W(), request.step);
  LinearMotion motion = owned(table.place().owner, [&] {
    return linearise(dynamics, x_1, u.steps, [&](size_t t) -> const VectorXd& { return u.at(t); });
  });
  lua_createtable(L, 0, 5);
  if (absolute) {
    const Eigen::MatrixXd L_abs = owned(d.owner, [&] { return absolute_angles(model); });
    for (LinearStep& step : motion.steps) step = in_absolute_angles(step, L_abs);
    const Eigen::MatrixXd S_u = batch_response(motion.steps);
    set_rows(L, "S_u", S_u);
    set_rows(L, "S_tau", relative_response(S_u, L_abs));
  } else {
    set_rows(L, "S_tau", batch_response(motion.steps));
  }
  set_rows(L, "S_x", free_response(motion.steps));
  set_lists(L, "q", motion.x, 0, model.n_q);
  set_lists(L, "v", motion.x, model.n_q, model.n_v);
  return 1;
}

}  // namespace torsor::lua
