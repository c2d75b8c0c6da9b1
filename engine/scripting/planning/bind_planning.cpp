// Implements torsor.ilqr, which plans controls for a robot before its experiment begins, and
// d:linearise, which linearises a time step.

#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "torsor/base/memory.hpp"
#include "torsor/planning/absolute_angles.hpp"
#include "torsor/planning/ilqr.hpp"
#include "torsor/planning/reach_cost.hpp"
#include "torsor/planning/step_dynamics.hpp"
#include "torsor/scripting/planning/planning_call.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/fields.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/read_task.hpp"

namespace torsor::lua {

using Eigen::VectorXd;

StepRequest read_step(const TableReader& table) {
  const std::string wanted = table.text_or("integrator", name(Integrator::euler));
  const auto found = integrator(wanted);
  if (!found) {
    const std::vector<std::string> names = integrator_names();
    table.place()
        .inside("integrator")
        .fail(fmt::format("is '{}'; use one of: {}{}", wanted, fmt::join(names, ", "),
                          did_you_mean(wanted, names)));
  }
  (void)table.number("dt");
  return {*found, linearised_step(*found, table.positive_or("dt", 0, " s"))};
}
long long work_of(const StepRequest& request, long long n) {
  return traits(request.integrator).linearised.rates * (50 + n * n * n / 2);
}

bool reads_absolute_angles(const TableReader& table) {
  const std::string angles = table.text_or("angles", "relative");
  if (angles != "relative" && angles != "absolute")
    table.place().inside("angles").fail(
        fmt::format("is '{}'; use \"relative\" or \"absolute\"", angles));
  return angles == "absolute";
}

std::vector<VectorXd> torques_per_step(const TableReader& table, const char* key, size_t n_v) {
  std::vector<VectorXd> out;
  table.each_entry(key, "a list of torques per step", [&](int index, const Place& place) {
    out.push_back(stacked(numbers_at(table.state(), index, place, n_v), {}));
  });
  return out;
}

VectorXd stacked(std::span<const double> q, std::span<const double> v) {
  VectorXd x(Eigen::Index(q.size() + v.size()));
  std::copy(v.begin(), v.end(), std::copy(q.begin(), q.end(), x.data()));
  return x;
}

namespace {

void push_segment(lua_State* L, const VectorXd& x, Eigen::Index first, Eigen::Index n) {
  push_list(L, {x.data() + first, size_t(n)});
}
}  // namespace

void set_lists(lua_State* L, const char* key, const std::vector<VectorXd>& rows, Eigen::Index first,
               Eigen::Index n) {
  lua_createtable(L, int(rows.size()), 0);
  for (size_t t = 0; t < rows.size(); ++t) {
    push_segment(L, rows[t], first, n);
    lua_rawseti(L, -2, lua_Integer(t) + 1);
  }
  lua_setfield(L, -2, key);
}

namespace {

RobotObject& robot_to_move(lua_State* L, const TableReader& table) {
  lua_getfield(L, 1, "robot");
  auto* robot = static_cast<RobotObject*>(object_at(L, -1, robot_type));
  if (!robot)
    table.place().inside("robot").fail(
        lua_isnil(L, -1) ? "is missing"
                         : fmt::format("is a {}; it must be a robot", luaL_typename(L, -1)));
  return *robot;
}

// Returns a world that contains the robot alone, at its place. Throws Error if the robot or its
// world has loads that a plan ignores.
WorldObject world_of(RobotObject& robot, const TableReader& table) {
  const std::string& name = robot.description.name;
  const auto reject = [&](const auto& list, const char* what) {
    if (!list.empty())
      table.fail(fmt::format(
          "robot '{}' has {} ({}), which a plan ignores; make the plan before adding it", name,
          what, list.front().source));
  };
  if (!robot.world)
    table.fail(fmt::format(
        "robot '{}' is in no world, so its gravity is unknown; call world:add(arm) first", name));
  reject(robot.world->forces, "a force in its world");
  reject(robot.wrenches, "a wrench");
  reject(robot.forces, "a force");
  reject(robot.torques, "a torque");
  reject(robot.motions, "a prescribed motion");
  reject(robot.controls, "a control");
  reject(robot.payloads, "a payload");
  for (const JointValues& values : robot.values)
    if (values.target != JointValues::Target::q && values.target != JointValues::Target::v)
      reject(std::span(&values, 1), "a torque or a state of motors");
  WorldObject alone;
  alone.gravity_W = robot.world->gravity_W;
  alone.robots.push_back(&robot);
  return alone;
}

const Frame& frame_to_move(const Model& model, const TableReader& table) {
  const Frame& frame = model.frames[size_t(model.frame(table.text("frame")))];
  if (frame.body == 0)
    table.place().inside("frame").fail(fmt::format(
        "is '{}', which is fixed to the world; choose a frame of a moving link", frame.name));
  return frame;
}

double not_negative(const TableReader& table, const char* key, double otherwise) {
  const double value = table.number_or(key, otherwise);
  if (value < 0)
    table.place().inside(key).fail(fmt::format("is {}; it must not be negative", value));
  return value;
}

ReachWeights read_weights(const TableReader& table, size_t n) {
  ReachWeights out;
  out.position = table.positive_or("position_weight", out.position, "");
  out.velocity = not_negative(table, "velocity_weight", out.velocity);
  out.effort = table.positive_or("effort_weight", out.effort, "");
  out.motion = not_negative(table, "motion_weight", out.motion);
  out.limits = table.positive_or("limit_weight", out.limits, "");
  if (!table.has("limit")) return out;
  lua_getfield(table.state(), 1, "limit");
  if (lua_istable(table.state(), -1))
    out.limit = table.numbers("limit", n);
  else
    out.limit.assign(n, table.number("limit"));
  for (const double limit : out.limit)
    if (!(limit > 0))
      table.place().inside("limit").fail(fmt::format("has {} N m; limits must be positive", limit));
  return out;
}

IlqrOptions read_options(const TableReader& table) {
  IlqrOptions out;
  const double iterations = table.number_or("iterations", out.iterations);
  if (!(iterations >= 1 && iterations <= 1e6) || iterations != std::floor(iterations))
    table.place()
        .inside("iterations")
        .fail(fmt::format("is {}; it must be a whole number of at least 1", iterations));
  out.iterations = int(iterations);
  out.tolerance = table.positive_or("tolerance", out.tolerance, "");
  const std::string form = table.text_or("form", "recursion");
  if (form != "recursion" && form != "batch")
    table.place().inside("form").fail(fmt::format("is '{}'; use \"recursion\" or \"batch\"", form));
  if (form == "batch") out.form = IlqrForm::batch;
  return out;
}

void push_plan(lua_State* L, const IlqrPlan& plan, const char* ended, const Model& model,
               const StepRequest& request) {
  const Eigen::Index n = model.n_v, n_q = model.n_q;
  lua_newtable(L);
  set_field(L, "dt", request.step.dt);
  push(L, name(request.integrator));
  lua_setfield(L, -2, "integrator");
  set_field(L, "first_cost", plan.first_cost);
  set_field(L, "cost", plan.cost);
  set_field(L, "error", plan.error);
  lua_pushstring(L, ended);
  lua_setfield(L, -2, "ended");
  set_lists(L, "controls", plan.u, 0, n);
  set_lists(L, "q", plan.x, 0, n_q);
  set_lists(L, "v", plan.x, n_q, n);
  lua_createtable(L, int(plan.iterations.size()), 0);
  for (size_t i = 0; i < plan.iterations.size(); ++i) {
    const IlqrIteration& iteration = plan.iterations[i];
    lua_createtable(L, 0, 5);
    set_field(L, "cost", iteration.cost);
    set_field(L, "reduction", iteration.reduction);
    set_field(L, "step", iteration.step);
    set_field(L, "regularisation", iteration.regularisation);
    set_field(L, "error", iteration.error);
    lua_rawseti(L, -2, lua_Integer(i) + 1);
  }
  lua_setfield(L, -2, "iterations");
}

// Returns a plan without motion, for callers that need only descriptions and have no plugins.
IlqrPlan no_plan(size_t steps, const Model& model) {
  const VectorXd x = VectorXd::Zero(model.n_q + model.n_v), u = VectorXd::Zero(model.n_v);
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  return {
      std::vector(steps + 1, x), std::vector(steps, u), none, {}, IlqrEnd::iterations, none, none};
}

SolverFactory solvers(lua_State* L, const TableReader& table) {
  const auto& plugins = scene_of(L).plugins;
  if (!plugins)
    table.fail("plugins are not available where this scene is loaded; run it as a scene");
  return [plugins, id = table.text("solver")](std::shared_ptr<const Model> model) {
    return plugins->solver(id, std::move(model));
  };
}

// The keys of the cost that is used if the script gives no cost of its own.
constexpr const char* reach_keys[] = {"frame",           "target",        "position_weight",
                                      "velocity_weight", "effort_weight", "motion_weight",
                                      "limit",           "limit_weight"};

CostSum read_cost(const TableReader& table, const PlanContext& plan) {
  if (!table.has("cost"))
    return reach_cost(plan.model, frame_to_move(*plan.model, table), table.vector("target"),
                      read_weights(table, size_t(plan.model->n_v)), plan.dt);
  for (const char* key : reach_keys)
    if (table.has(key))
      table.fail(fmt::format("has both cost and {}; add the {} to the cost", key, key));
  lua_getfield(plan.L, 1, "cost");
  return cost_at(lua_gettop(plan.L), table.place().inside("cost"), plan);
}

// Reads the first controls. By default, they keep the robot at rest at its start.
std::vector<VectorXd> first_controls(const TableReader& table, StepDynamics& dynamics,
                                     const VectorXd& x_1, size_t steps) {
  if (!table.has("controls")) return std::vector(steps, dynamics.equilibrium_torques(x_1));
  std::vector<VectorXd> out = torques_per_step(table, "controls", size_t(dynamics.n_u()));
  if (out.size() != steps)
    table.place()
        .inside("controls")
        .fail(fmt::format("has {} entries; the plan has {} steps", out.size(), steps));
  return out;
}

IlqrPlan optimise(lua_State* L, const TableReader& table, const Experiment& start,
                  const StepRequest& request, size_t steps) {
  const Eigen::Index n = start.model->n_v;
  StepDynamics dynamics(solvers(L, table), start.model, start.gravity_W, request.step);
  CostSum cost = read_cost(table, {L, start.model, request.step.dt, steps});
  const IlqrOptions options = read_options(table);
  const VectorXd x_1 = stacked(start.q, start.v);
  long long work = work_of(request, n);
  // The matrix of all controls has (n steps)^2 entries, and its factors take n steps times as long.
  if (options.form == IlqrForm::batch) work += n * n * n * (long long)(steps * steps) / 100;
  return ilqr(dynamics, cost, x_1, first_controls(table, dynamics, x_1, steps), options,
              [&] { Sandbox::of(L).charge(L, work); });
}

// Implements torsor.ilqr{ robot =, frame =, target = {x, y, z}, duration =, dt =, integrator =,
// solver =, iterations =, tolerance =, form =, controls =, position_weight =, velocity_weight =,
// effort_weight =, motion_weight =, limit =, limit_weight = }, or with cost = in place of frame,
// target, weights and limit. Plans torques from the state that arm:set has set. Without a cost, the
// frame's origin is at rest at the target at the end, in world coordinates
// (planning/reach_cost.hpp).
int plan_by_ilqr(lua_State* L) {
  SceneContext& scene = scene_of(L);
  const TableReader table(
      L, 1, {"torsor.ilqr", ""},
      {"robot", "frame", "target", "duration", "dt", "integrator", "solver", "iterations",
       "tolerance", "position_weight", "velocity_weight", "effort_weight", "motion_weight", "limit",
       "limit_weight", "cost", "form", "controls"});
  WorldObject alone = world_of(robot_to_move(L, table), table);
  charge_model(L, alone.robots);
  ExperimentObject made;
  build_model(L, alone, made);
  Experiment& start = made.experiment;
  start.gravity_W = alone.gravity_W;
  const StepRequest request = read_step(table);
  const auto steps = size_t(step_count(table.number("duration"), request.step.dt, "the duration"));
  // Numbers per step: A, B, the cost model, k and K, and four vectors of x and u.
  const double n = start.model->n_v;
  double numbers = 15 * n * n + 16 * n;
  if (table.text_or("form", "") == "batch") numbers += 3 * n * n * double(steps);
  const TemporaryMemory memory(fmt::format("torsor.ilqr: a plan of {} steps", steps),
                               double(steps) * (numbers + 100) * sizeof(double));
  if (scene.any_inertia) {
    push_plan(L, no_plan(steps, *start.model), "not computed", *start.model, request);
  } else {
    // Indexed by IlqrEnd.
    static constexpr const char* ends[] = {"converged", "iterations", "stuck"};
    const IlqrPlan plan = optimise(L, table, start, request, steps);
    push_plan(L, plan, ends[int(plan.end)], *start.model, request);
  }
  return 1;
}

}  // namespace

// Implements d:linearise{ q =, v =, tau =, dt =, integrator =, angles = }. Returns { A = rows, B =
// rows, q =, v = }: the state after one step and its derivatives.
int linearise_step(lua_State* L) {
  auto& d = self<DynamicsObject>(L, dynamics_type, "d:linearise{...}");
  const TableReader table(L, 2, {fmt::format("linearise in {}", d.owner), ""},
                          {"q", "v", "tau", "dt", "integrator", "angles"});
  if (!d.make_solver)
    table.fail("plugins are not available where this scene is loaded; run it as a scene");
  const Model& model = d.state.model();
  const StepRequest request = read_step(table);
  lua_getfield(L, 2, "q");
  const std::vector<double> q = positions_at(L, lua_gettop(L), table.place().inside("q"), model),
                            v = table.numbers("v", size_t(model.n_v));
  const VectorXd x = stacked(q, v), u = stacked(table.numbers("tau", size_t(model.n_v)), {});
  const double n = model.n_v, numbers = 6 * n * n;
  const TemporaryMemory memory(
      fmt::format("{}: a linearised step of {} degrees of freedom", d.owner, model.n_v),
      (numbers + traits(request.integrator).linearised.matrices * n * n) * sizeof(double));
  Sandbox::of(L).charge_work(L, d.owner + ": a linearised step",
                             2.0 * double(work_of(request, model.n_v)));
  StepDynamics dynamics(d.make_solver, d.state.model_ptr(), d.state.gravity_W(), request.step);
  LinearStep linear;
  VectorXd next;
  if (!dynamics.linearise(x, u, linear) || !dynamics.step(x, u, next))
    table.fail(dynamics.failure());
  if (reads_absolute_angles(table))
    linear = owned(d.owner, [&] { return in_absolute_angles(linear, absolute_angles(model)); });
  lua_createtable(L, 0, 4);
  set_rows(L, "A", linear.A);
  set_rows(L, "B", linear.B);
  push_segment(L, next, 0, model.n_q);
  lua_setfield(L, -2, "q");
  push_segment(L, next, model.n_q, model.n_v);
  lua_setfield(L, -2, "v");
  return 1;
}

void add_planning_functions(lua_State* L) {
  constexpr Function functions[] = {{"ilqr", guarded<plan_by_ilqr>}};
  add_functions(L, functions);
}

}  // namespace torsor::lua
