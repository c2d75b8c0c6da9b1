// Implements torsor.cost: costs as objects that a script adds and multiplies by weights, for
// torsor.ilqr.

#include <cmath>

#include "torsor/planning/goal_cost.hpp"
#include "torsor/planning/running_costs.hpp"
#include "torsor/scripting/planning/cost_function.hpp"
#include "torsor/scripting/planning/planning_call.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/read_task.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/scripting/values/time_function.hpp"

namespace torsor::lua {

namespace {

using Eigen::VectorXd;
using Keys = std::span<const char* const>;

// A copy of the table of arguments, stored when the script created a term.
struct Arguments {
  int table;          // key in the Lua registry
  std::string owner;  // "scene.lua:3: torsor.cost.effort"
};

void push_cost(lua_State* L, std::vector<CostTerm> terms) {
  SceneContext& scene = scene_of(L);
  Sandbox::of(L).charge_memory(L, bytes_per_setting * terms.size());
  scene.costs.push_back(std::make_unique<CostObject>(CostObject{std::move(terms)}));
  push_handle(L, scene.costs.back().get(), cost_type);
}

// The arguments of a term, at a stack index.
struct TermTable {
  TableReader table;
  int index;

  // Reads a number for all dof, or a list of one number per dof [n].
  std::vector<double> per_dof(const char* key, size_t n) const {
    lua_getfield(table.state(), index, key);
    const bool single = lua_type(table.state(), -1) == LUA_TNUMBER;
    return single ? std::vector(n, table.number(key)) : table.numbers(key, n);
  }
};

constexpr const char* goal_keys[] = {"q", "v", "frame", "position", "pose", "orientation"};
constexpr const char* via_keys[] = {"time", "q", "v", "frame", "position", "pose", "orientation"};
constexpr const char* tracking_keys[] = {"reference", "of"};
constexpr const char* weight_keys[] = {"weights"};
constexpr const char* limit_keys[] = {"of", "lower", "upper", "barrier"};

Goal read_goal(const TermTable& term, const Model& model) {
  Goal out;
  const TableReader& table = term.table;
  if (table.has("q")) {
    lua_State* const L = table.state();
    lua_getfield(L, term.index, "q");
    out.q = stacked(positions_at(L, lua_gettop(L), table.place().inside("q"), model), {});
  }
  if (table.has("v")) out.v = stacked(term.per_dof("v", size_t(model.n_v)), {});
  if (table.has("frame") || table.has("position") || table.has("pose") ||
      table.has("orientation")) {
    const PoseTarget target = read_target(table, model);
    if (target.frame.body == 0)
      table.place().inside("frame").fail(
          fmt::format("is '{}', which is fixed to the world; choose a frame of a moving link",
                      target.frame.name));
    out.frame = target.frame;
    if (target.components != orientation_components) out.position_W = target.X_WF.p;
    if (target.components != position_components) out.R_WF = target.X_WF.R;
  }
  if (!out.q && !out.v && !out.frame)
    table.fail("has no goal; give q, v, or a frame with position, pose or orientation");
  return out;
}

// Returns the index of the step that begins at the time, or GoalCost::at_end for the duration.
size_t step_at(const Place& place, double time, const PlanContext& plan) {
  const double steps = time / plan.dt, whole = std::round(steps),
               duration = double(plan.steps) * plan.dt;
  if (!(whole >= 0 && whole <= double(plan.steps)))
    place.fail(fmt::format("is {} s; it must be between 0 and the duration of the plan, {} s", time,
                           duration));
  if (std::abs(steps - whole) > 1e-6)
    place.fail(
        fmt::format("is {} s, which is not a multiple of the step dt = {} s", time, plan.dt));
  return size_t(whole) == plan.steps ? GoalCost::at_end : size_t(whole);
}

using Made = std::shared_ptr<Cost>;

Made terminal_cost(const TermTable& term, const PlanContext& plan) {
  return std::make_shared<GoalCost>(
      plan.model, std::map{std::pair{GoalCost::at_end, read_goal(term, *plan.model)}});
}

Made via_cost(const TermTable& term, const PlanContext& plan) {
  const TableReader& table = term.table;
  const size_t step = step_at(table.place().inside("time"), table.number("time"), plan);
  return std::make_shared<GoalCost>(plan.model,
                                    std::map{std::pair{step, read_goal(term, *plan.model)}});
}

Goal goal_of(const DesiredMotion& reference, double t, bool velocity, Reference& at,
             const Place& place) {
  if (const Status status = reference.evaluate(t, at); !status)
    place.fail(reference.explain(status));
  Goal out;
  if (velocity)
    out.v = stacked(at.v, {});
  else
    out.q = stacked(at.q, {});
  return out;
}

Made tracking_cost(const TermTable& term, const PlanContext& plan) {
  const TableReader& table = term.table;
  const std::string of = table.text_or("of", "position");
  if (of != "position" && of != "velocity")
    table.place().inside("of").fail(fmt::format("is '{}'; use \"position\" or \"velocity\"", of));
  lua_getfield(table.state(), term.index, "reference");
  const std::shared_ptr<const DesiredMotion> reference = trajectory_at(table.state(), -1);
  const Place place = table.place().inside("reference");
  if (!reference)
    place.fail(fmt::format("is a {}; it must be a trajectory of the robot",
                           luaL_typename(table.state(), -1)));
  if (reference->of_frame()) place.fail("moves a frame; it must move the joints");
  if (fingerprint(reference->model()) != fingerprint(*plan.model))
    place.fail("belongs to another robot");
  std::map<size_t, Goal> goals;
  Reference at = reference->make_reference(1);
  for (size_t step = 1; step <= plan.steps; ++step)
    goals[step == plan.steps ? GoalCost::at_end : step] =
        goal_of(*reference, double(step) * plan.dt, of == "velocity", at, place);
  return std::make_shared<GoalCost>(plan.model, std::move(goals), plan.dt);
}

template <Coordinates z>
Made quadratic_cost(const TermTable& term, const PlanContext& plan) {
  const TableReader& table = term.table;
  const size_t n = size_t(plan.model->n_v);
  const std::vector<double> weights =
      table.has("weights") ? term.per_dof("weights", n) : std::vector(n, 1.0);
  for (const double weight : weights)
    if (!(weight >= 0))
      table.place().inside("weights").fail(
          fmt::format("has {}; weights must not be negative", weight));
  return std::make_shared<QuadraticCost>(*plan.model, z, weights, plan.dt);
}

// Returns the limits of the joints of several degrees of freedom as infinite.
CoordinateLimits limits_of(const Model& model, Coordinates z) {
  CoordinateLimits out;
  for (int k = 0; k < model.n_v; ++k) {
    const Joint& joint = model.joint_of_dof(k);
    const double most = z == Coordinates::v ? joint.velocity_limit : joint.effort_limit;
    out.lower.push_back(z == Coordinates::q ? joint.lower : -most);
    out.upper.push_back(z == Coordinates::q ? joint.upper : most);
  }
  return out;
}

Made limit_cost(const TermTable& term, const PlanContext& plan) {
  const TableReader& table = term.table;
  const std::string of = table.text_or("of", "q");
  const std::map<std::string, Coordinates> known{
      {"q", Coordinates::q}, {"v", Coordinates::v}, {"tau", Coordinates::tau}};
  const auto z = known.find(of);
  if (z == known.end())
    table.place().inside("of").fail(fmt::format("is '{}'; use \"q\", \"v\" or \"tau\"", of));
  const Model& model = *plan.model;
  CoordinateLimits limits = limits_of(model, z->second);
  if (table.has("lower")) limits.lower = term.per_dof("lower", size_t(model.n_v));
  if (table.has("upper")) limits.upper = term.per_dof("upper", size_t(model.n_v));
  bool any = false;
  for (size_t k = 0; k < limits.lower.size(); ++k) {
    if (!(limits.lower[k] < limits.upper[k]))
      table.fail(fmt::format("has the limits {} and {} of joint '{}'; lower must be below upper",
                             limits.lower[k], limits.upper[k], model.joint_of_dof(int(k)).name));
    any = any || std::isfinite(limits.lower[k]) || std::isfinite(limits.upper[k]);
  }
  if (!any)
    table.fail(fmt::format("has no effect: no joint has a limit of {}; give lower or upper", of));
  if (table.flag_or("barrier", false))
    return std::make_shared<BarrierCost>(model, z->second, limits, plan.dt);
  return std::make_shared<PenaltyCost>(model, z->second, limits, plan.dt);
}

using Make = Made (*)(const TermTable&, const PlanContext&);

// A function of torsor.cost that takes a table.
struct Kind {
  const char* name;
  Keys keys;
  Make make;
};
constexpr Kind kinds[] = {{"terminal", goal_keys, terminal_cost},
                          {"via", via_keys, via_cost},
                          {"tracking", tracking_keys, tracking_cost},
                          {"effort", weight_keys, quadratic_cost<Coordinates::tau>},
                          {"motion", weight_keys, quadratic_cost<Coordinates::v>},
                          {"limits", limit_keys, limit_cost}};

std::string owner_of(lua_State* L, const char* name) {
  return fmt::format("{}: torsor.cost.{}", Sandbox::of(L).where(L, 1), name);
}

// Pushes a copy of the table at a stack index, with copies of the plain tables in it.
void push_copy(lua_State* L, int index, const std::string& owner, int depth = 0) {
  constexpr int deepest = 10;
  if (depth == deepest)
    throw Error(fmt::format("{}: its tables are nested {} levels deep", owner, deepest));
  luaL_checkstack(L, 10, nullptr);
  lua_newtable(L);
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    Sandbox::of(L).charge(L, 1);
    if (lua_istable(L, -1) && lua_getmetatable(L, -1) == 0) {
      push_copy(L, lua_gettop(L), owner, depth + 1);
      lua_replace(L, -2);
    } else if (lua_istable(L, -2)) {
      lua_pop(L, 1);  // the metatable
    }
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -5);
  }
}

template <size_t k>
int make_term(lua_State* L) {
  const Kind& kind = kinds[k];
  if (lua_gettop(L) == 0) lua_newtable(L);
  // Checks the keys now. The error then names the line of the term.
  (void)TableReader(L, 1, {fmt::format("torsor.cost.{}", kind.name), ""}, kind.keys);
  lua_settop(L, 1);
  const std::string owner = owner_of(L, kind.name);
  push_copy(L, 1, owner);
  const Arguments arguments{luaL_ref(L, LUA_REGISTRYINDEX), owner};
  push_cost(L, {{1, [arguments, &kind](const PlanContext& plan) {
                   lua_State* const at = plan.L;
                   const int top = lua_gettop(at);
                   luaL_checkstack(at, 100, nullptr);
                   lua_rawgeti(at, LUA_REGISTRYINDEX, arguments.table);
                   const TableReader table(at, top + 1, {arguments.owner, ""}, kind.keys);
                   Made out = kind.make({table, top + 1}, plan);
                   lua_settop(at, top);
                   return out;
                 }}});
  return 1;
}

// Implements torsor.cost.custom(f, { at = "end" | time, frames = { .. } }).
int make_custom(lua_State* L) {
  const char* const call = "torsor.cost.custom";
  if (lua_type(L, 1) != LUA_TFUNCTION)
    throw Error(fmt::format("{}: argument 1 is a {}; give a function of t and state", call,
                            luaL_typename(L, 1)));
  if (lua_gettop(L) == 1) lua_newtable(L);
  const TableReader table(L, 2, {call, ""}, {"at", "frames"});
  lua_getfield(L, 2, "at");
  std::optional<double> time;
  const bool at_end = lua_type(L, -1) == LUA_TSTRING && text(L, -1) == "end";
  if (!at_end && !lua_isnil(L, -1)) {
    if (lua_type(L, -1) != LUA_TNUMBER)
      table.place().inside("at").fail("must be \"end\" or a time in s");
    time = table.number("at");
  }
  const std::vector<std::string> frames =
      table.has("frames") ? table.texts("frames") : std::vector<std::string>();
  const int function = keep_function(L, 1);
  const auto make = [=, owner = owner_of(L, "custom")](const PlanContext& plan) -> Made {
    CostInstants instants{.step = {}, .at_end = at_end};
    if (time) instants.step = step_at({owner, "at"}, *time, plan);
    if (instants.step == GoalCost::at_end) instants = {.step = {}, .at_end = true};
    std::vector<Frame> found;
    for (const std::string& name : frames) {
      found.push_back(
          owned(owner, [&] { return plan.model->frames[size_t(plan.model->frame(name))]; }));
      found.back().name = name;
    }
    return std::make_shared<FunctionCost>(plan, function, owner, instants, found);
  };
  push_cost(L, {{1, make}});
  return 1;
}

const CostObject& needed_cost(lua_State* L, int index, const char* operation) {
  if (void* object = object_at(L, index, cost_type)) return *static_cast<CostObject*>(object);
  throw Error(
      fmt::format("a cost cannot be {} a {}; costs are added to costs, and multiplied by "
                  "numbers",
                  operation, luaL_typename(L, index)));
}

int add_costs(lua_State* L) {
  std::vector<CostTerm> terms = needed_cost(L, 1, "added to").terms;
  const CostObject& other = needed_cost(L, 2, "added to");
  terms.insert(terms.end(), other.terms.begin(), other.terms.end());
  push_cost(L, std::move(terms));
  return 1;
}

int weigh_cost(lua_State* L) {
  const int number = lua_type(L, 1) == LUA_TNUMBER ? 1 : 2;
  if (lua_type(L, number) != LUA_TNUMBER)
    throw Error(fmt::format("a cost cannot be multiplied by a {}; its weight is a number",
                            luaL_typename(L, object_at(L, 1, cost_type) ? 2 : 1)));
  const double weight = lua_tonumber(L, number);
  if (!(weight >= 0 && std::isfinite(weight)))
    throw Error(
        fmt::format("the weight of a cost is {}; it must be a finite number that is not "
                    "negative",
                    shown(weight)));
  std::vector<CostTerm> terms = needed_cost(L, 3 - number, "multiplied by").terms;
  for (CostTerm& term : terms) term.weight *= weight;
  push_cost(L, std::move(terms));
  return 1;
}

template <size_t... k>
void add_kinds(lua_State* L, std::index_sequence<k...>) {
  const Function functions[] = {{kinds[k].name, guarded<make_term<k>>}...};
  add_functions(L, functions);
}

}  // namespace

CostSum cost_at(int index, const Place& place, const PlanContext& plan) {
  const void* const object = object_at(plan.L, index, cost_type);
  if (!object)
    place.fail(fmt::format("is a {}; it must be a cost, such as torsor.cost.effort{{}}",
                           luaL_typename(plan.L, index)));
  std::vector<WeightedCost> terms;
  for (const CostTerm& term : static_cast<const CostObject*>(object)->terms)
    terms.push_back({term.weight, term.make(plan)});
  return CostSum(std::move(terms));
}

void add_cost_functions(lua_State* L) {
  make_type(L, cost_type, {});
  luaL_getmetatable(L, cost_type);
  constexpr Function operators[] = {{"__add", guarded<add_costs>}, {"__mul", guarded<weigh_cost>}};
  add_functions(L, operators);
  lua_pop(L, 1);
  lua_newtable(L);
  add_kinds(L, std::make_index_sequence<std::size(kinds)>());
  constexpr Function custom[] = {{"custom", guarded<make_custom>}};
  add_functions(L, custom);
  make_strict(L, "torsor.cost");
  lua_setfield(L, -2, "cost");
}

}  // namespace torsor::lua
