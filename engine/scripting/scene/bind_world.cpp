// Implements torsor.world and the methods of world objects, such as world:experiment.

#include <cmath>
#include <limits>
#include <utility>

#include "torsor/constraints/cut_joint.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/run/run_comparison.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/shapes/read_shapes.hpp"
#include "torsor/scripting/values/joint_values.hpp"
#include "torsor/scripting/values/read_changes.hpp"
#include "torsor/scripting/values/read_control.hpp"
#include "torsor/scripting/values/read_force.hpp"
#include "torsor/scripting/values/read_link.hpp"
#include "torsor/scripting/values/read_metrics.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::lua {

namespace {

// Implements torsor.world{ gravity = {x, y, z} }. gravity is in world axes, m/s^2.
int world(lua_State* L) {
  SceneContext& scene = scene_of(L);
  if (lua_gettop(L) == 0) lua_newtable(L);
  const TableReader table(L, 1, {"torsor.world", ""}, {"gravity"});
  WorldObject out;
  if (table.has("gravity")) out.gravity_W = table.vector("gravity");
  Sandbox::of(L).charge_memory(L, sizeof out);
  scene.worlds.push_back(std::make_unique<WorldObject>(out));
  push_handle(L, scene.worlds.back().get(), world_type);
  return 1;
}

// Implements world:add(arm, { at = X_WR }), where X_WR is the pose of the robot's base in the
// world.
int add(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:add(arm)");
  lua_settop(L, 3);
  auto* robot = static_cast<RobotObject*>(object_at(L, 2, robot_type));
  if (!robot) throw Error(fmt::format("world:add takes a robot, not a {}", luaL_typename(L, 2)));
  const std::string& name = robot->description.name;
  if (robot->world) throw Error(fmt::format("robot '{}' is already in a world; add it once", name));
  if (robot->model && !lua_isnil(L, 3))
    throw Error(fmt::format(
        "the dynamics or kinematics of robot '{}' are already in use; call world:add before them",
        name));
  Pose<double> X_WR = Pose<double>::identity();
  if (!lua_isnil(L, 3)) {
    const TableReader table(L, 3, {fmt::format("world:add of '{}'", name), ""}, {"at"});
    X_WR = read_pose(table, "at");
  }
  world.robots.push_back(robot);
  robot->world = &world;
  robot->X_WR = X_WR;
  return 0;
}

// Implements world:close{..}, between frames of several robots, "ROBOT.frame".
int close_robots(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:close{...}");
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  world.closures.push_back(read_closure(L, 2, "world:close", Sandbox::of(L).where(L, 1)));
  return 0;
}

// The models of arm:dynamics contain the shapes and the rules of the world.
void require_no_model(const WorldObject& world, const char* call) {
  for (const RobotObject* robot : world.robots)
    if (robot->model)
      throw Error(fmt::format(
          "{}: the dynamics of robot '{}' are already in use; add the collisions of the world "
          "before them",
          call, robot->description.name));
}

// Implements world:collision{ SHAPE, .. }, a shape that is fixed in the world. read_shapes.hpp
// describes the keys.
int add_collision(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:collision{...}");
  require_no_model(world, "world:collision");
  world.collisions.push_back(
      read_collision(L, 2, {"world:collision", ""}, Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements world:collision_pair{ A, B, .. }, between names of several robots, "ROBOT.link".
int add_collision_pair(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:collision_pair{...}");
  require_no_model(world, "world:collision_pair");
  world.collision_pairs.push_back(
      read_collision_pair(L, 2, "world:collision_pair", Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements world:force("ground", { parameter = value }). read_force.hpp describes the arguments.
int add_force(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:force(name, {...})");
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  world.forces.push_back(read_force(L, Sandbox::of(L).where(L, 1)));
  return 0;
}

// Reads the integrator. A fixed step is { NAME, dt = }. An adaptive step is { NAME, dt =, rtol =,
// atol =, max_step = }. The name may be omitted.
void read_integrator(const TableReader& table, Experiment& out) {
  const TableReader entry = table.table("integrator", {"dt", "rtol", "atol", "max_step"}, 1);
  const std::string word =
      entry.has_positional(1) ? entry.positional_text(1) : name(default_integrator(*out.model));
  const auto found = integrator(word);
  if (!found) {
    std::string list;
    for (const std::string& name : integrator_names()) list += (list.empty() ? "" : ", ") + name;
    entry.fail(fmt::format("has the unknown name '{}'; use one of: {}{}", word, list,
                           did_you_mean(word, integrator_names())));
  }
  out.integrator = *found;
  (void)entry.number("dt");
  out.dt = entry.positive_or("dt", 0, " s");
  for (const char* key : {"rtol", "atol", "max_step"})
    if (entry.has(key) && !traits(*found).is_adaptive)
      entry.fail(fmt::format("has {}, but {} uses fixed steps of dt; remove it", key, word));
  out.tolerances.rtol = entry.positive_or("rtol", out.tolerances.rtol, "");
  out.tolerances.atol = entry.positive_or("atol", out.tolerances.atol, "");
  if (entry.has("max_step")) out.tolerances.max_step = entry.positive_or("max_step", 0, " s");
}

// Throws Error if the constraint solver does not exist, or rejects a parameter or the model.
void check_constraint_solver(const TableReader& table, const SceneContext& scene,
                             const Experiment& experiment) {
  if (!table.has("constraint_solver") || !scene.plugins) return;
  const auto& [id, parameters] = experiment.constraint_solver;
  try {
    (void)scene.plugins->make<ConstraintSolver>(id, experiment.model, parameters);
  } catch (const Error& error) {
    table.place().inside("constraint_solver").fail(error.what());
  }
}

// Fills in missing initial values. Mimic joints follow the joints that they mimic. Motors and
// rotors follow their joints. Joints of closures that are not held follow from the other joints.
// Afterwards motor_q and motor_v have entries only for elastic joints.
void fill_missing(Experiment& out) {
  const Model& model = *out.model;
  lua::fill_missing(model, out.q, out.v);
  State state(out.model);
  for (size_t k = 0; k < model.closures.size(); ++k) {
    const auto& cut = model.closures[k].cut;
    if (!cut || out.held[size_t(model.joints[size_t(cut->joint)].v_index)]) continue;
    state.set_q(out.q);
    fit_cut_joint(state, k);
    out.q.assign(state.q().begin(), state.q().end());
  }
  size_t motors = 0;
  for (size_t k = 0; k < out.v.size(); ++k) {
    if (!model.drives[k].elasticity) continue;
    out.motor_q[motors] =
        std::isnan(out.motor_q[k]) ? out.q[size_t(model.coordinate[k])] : out.motor_q[k];
    out.motor_v[motors] = std::isnan(out.motor_v[k]) ? out.v[k] : out.motor_v[k];
    ++motors;
  }
  out.motor_q.resize(motors);
  out.motor_v.resize(motors);
}

}  // namespace

namespace {

// Adds a warning if the file of a robot has another gravity than the world.
void warn_of_gravity(const WorldObject& world, RobotDescription& robot) {
  if (!robot.gravity_W || norm(*robot.gravity_W - world.gravity_W) == 0) return;
  const auto listed = [](const Vec3<double>& g) {
    return fmt::format("({}, {}, {})", g.x, g.y, g.z);
  };
  robot.warnings.push_back(
      fmt::format("{}: the gravity of the file is {} m/s^2; the scene uses its own, {}",
                  robot.gravity_source, listed(*robot.gravity_W), listed(world.gravity_W)));
}

}  // namespace

void build_model(lua_State* L, WorldObject& world, ExperimentObject& made) {
  Experiment& out = made.experiment;
  ModelBuilder builder;
  for (const RobotObject* robot : world.robots) {
    RobotDescription description = robot->description;
    if (scene_of(L).any_inertia) description.nonphysical = Nonphysical::allow;
    warn_of_gravity(world, description);
    builder.add(description, robot->X_WR);
  }
  for (const ClosureDescription& closure : world.closures) builder.close(closure);
  for (const CollisionDescription& collision : world.collisions) builder.add(collision);
  for (const CollisionPairDescription& pair : world.collision_pairs) builder.add(pair);
  out.model = builder.build();
  const Model& model = *out.model;
  const size_t n_v = size_t(model.n_v);
  constexpr double missing = std::numeric_limits<double>::quiet_NaN();
  out.q = neutral(model);
  out.v.assign(n_v, 0.0);
  out.held.assign(n_v, 0);
  out.motor_q.assign(n_v, missing);
  out.motor_v.assign(n_v, missing);
  out.load.tau.assign(n_v, 0.0);
  mark_missing(model, out.q, out.v);
  for (size_t i = 0; i < world.robots.size(); ++i)
    add_robot_sensors(L, *world.robots[i], model.robots[i], made);
  for (size_t i = 0; i < world.robots.size(); ++i)
    add_robot_loads(L, *world.robots[i], model.robots[i], made);
  fill_missing(out);
}

namespace {

// Implements world:experiment{ solver =, constraint_solver =, compare = {..}, integrator = { name,
// dt = }, duration =, record = {..}, record_interval =, metrics =, energy_tolerance =,
// separate_overlaps =, changes =, outcome = }.
int experiment(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:experiment{...}");
  SceneContext& scene = scene_of(L);
  const TableReader table(L, 2, {"world:experiment", ""},
                          {"solver", "constraint_solver", "compare", "integrator", "duration",
                           "record", "record_interval", "metrics", "energy_tolerance",
                           "separate_overlaps", "changes", "outcome", "plugins"});
  if (table.has("plugins"))
    table.fail(
        "plugins cannot be listed here; call torsor.plugins{ \"mine.so\", .. } at the start of the "
        "scene");
  if (world.robots.empty()) table.fail("the world has no robot; add one with world:add(arm)");
  ExperimentObject made;
  made.source = Sandbox::of(L).where(L, 1);
  Experiment& out = made.experiment;
  out.solver = table.text_or("solver", out.solver);
  if (table.has("compare")) out.compare = table.texts("compare");
  check_compared(out);
  out.record = table.texts("record");
  out.metrics = read_metrics(table);
  out.energy_tolerance = table.positive_or("energy_tolerance", out.energy_tolerance, "");
  out.separate_overlaps = table.flag_or("separate_overlaps", false);
  made.outcome = read_outcome(table);
  out.gravity_W = world.gravity_W;
  out.duration = table.number("duration");  // payloads must be attached before the end
  charge_model(L, world.robots);
  out.duration = table.number("duration");  // payloads must be attached before it
  build_model(L, world, made);
  read_integrator(table, out);
  step_count(out.duration, out.dt, "the duration");
  out.record_interval = table.number_or("record_interval", 0);
  if (out.record_interval != 0) step_count(out.record_interval, out.dt, "the record interval");
  out.constraint_solver = table.has("constraint_solver") ? read_constraint_solver(table, 2)
                                                         : default_constraint_solver(*out.model);
  check_constraint_solver(table, scene, out);
  out.changes = read_changes(table, out);
  for (const ForceRequest& force : world.forces)
    if (!scene.any_inertia) out.load.forces.push_back(make_force(scene.plugins, out.model, force));
  std::vector<Control> controls;
  for (const RunControl& control : made.controls) controls.push_back(control.control);
  (void)RobotSensors(*out.model, out.load.sensors, out.dt);  // throws Error for a wrong setting
  // Throws Error for an unknown signal.
  (void)Recorder(*out.model, out.record, out.compare, controls, out.load.sensors);
  if (out.metrics) {
    if (controls.empty())
      table.place().inside("metrics").fail(
          "require a control, and no robot has one; add one with arm:control(..)");
    Load load;
    load.controls = controls;
    (void)Metrics(*out.model, load, *out.metrics);  // throws Error for an unknown joint
  }
  for (RobotObject* robot : world.robots) robot->built = true;
  scene.experiments.push_back(std::make_unique<ExperimentObject>(std::move(made)));
  push_handle(L, scene.experiments.back().get(), experiment_type);
  return 1;
}

}  // namespace

void add_world_functions(lua_State* L) {
  constexpr Function methods[] = {{"add", guarded<add>},
                                  {"close", guarded<close_robots>},
                                  {"collision", guarded<add_collision>},
                                  {"collision_pair", guarded<add_collision_pair>},
                                  {"experiment", guarded<experiment>},
                                  {"force", guarded<add_force>}};
  make_type(L, world_type, methods);
  make_type(L, experiment_type, {});
  constexpr Function functions[] = {{"world", guarded<world>}};
  add_functions(L, functions);
}

}  // namespace torsor::lua
