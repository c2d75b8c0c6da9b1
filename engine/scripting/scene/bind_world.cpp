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

// Implements world:collision{ SHAPE, .. }, a shape that is fixed in the world. read_shapes.hpp
// describes the keys.
int add_collision(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:collision{...}");
  for (const RobotObject* robot : world.robots)
    if (robot->model)
      throw Error(fmt::format(
          "world:collision: the dynamics of robot '{}' are already in use; add the collisions of "
          "the world before them",
          robot->description.name));
  world.collisions.push_back(
      read_collision(L, 2, {"world:collision", ""}, Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements world:collision_pair{ A, B, .. }, between names of several robots, "ROBOT.link".
int add_collision_pair(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:collision_pair{...}");
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

// Copies the initial state and the loads of one robot, as given in the script, into the experiment.
class Resolver {
 public:
  Resolver(lua_State* L, RobotObject& robot, const Robot& columns, ExperimentObject& made)
      : L_(L), robot_(robot), columns_(columns), made_(made), out_(made.experiment) {
    const bool alone = out_.model->robots.size() == 1;
    prefix_ = alone ? "" : robot.description.name + ".";
  }

  void run() {
    for (const JointValues& values : robot_.values) add(values);
    if (robot_.hold)
      for (const std::string& name : robot_.hold->names)
        hold(joint_named(name, robot_.hold->source));
    if (!motor_tau_.empty()) apply_motor_torques();
    for (const AppliedWrench& wrench : robot_.wrenches) add(wrench);
    for (const JointFunction& torque : robot_.torques) add_torque(torque);
    for (const JointFunction& motion : robot_.motions) add_motion(motion);
    for (const ControlRequest& request : robot_.controls) add(request);
    for (const ForceFunctionRequest& force : robot_.forces) add(force);
    for (const AttachedPayload& attached : robot_.payloads) add(attached);
  }

 private:
  using Target = JointValues::Target;

  [[noreturn]] void fail(const std::string& source, const std::string& what) const {
    throw Error(fmt::format("{}: robot '{}': {}", source, robot_.description.name, what));
  }

  // Sets the entries of a state, or adds torques to the torques that earlier calls have applied.
  void put(const JointValues& values, const std::vector<double>& given, int q_index, int v_index) {
    const bool of_q = values.target == Target::q;
    double* out = nullptr;
    switch (values.target) {
      case Target::q:
        out = &out_.q[size_t(q_index)];
        break;
      case Target::v:
        out = &out_.v[size_t(v_index)];
        break;
      case Target::tau:
        out = &out_.load.tau[size_t(v_index)];
        break;
      case Target::motor_tau:
      case Target::input:
        motor_tau_.resize(size_t(out_.model->n_v));
        out = &motor_tau_[size_t(v_index)];
        break;
      case Target::motor_q:
      case Target::motor_v:
        need_motors(values, v_index, given.size());
        out = &(values.target == Target::motor_q ? out_.motor_q : out_.motor_v)[size_t(v_index)];
        break;
    }
    const bool input = values.target == Target::input;
    const bool adds = values.target == Target::tau || values.target == Target::motor_tau || input;
    for (size_t k = 0; k < given.size(); ++k)
      if (adds && given[k] != 0) need_actuator(v_index + int(k), values.source);
    for (size_t k = 0; k < given.size(); ++k)
      out[k] = (input ? input_gain(values, v_index + int(k)) : 1) * given[k] + (adds ? out[k] : 0);
    if (!of_q) return;
    try {
      normalise(*out_.model, out_.q);
    } catch (const Error& error) {
      fail(values.source, error.what());
    }
  }

  // The torques of a transmission whose jacobian depends on q act at the shafts during the run.
  void apply_motor_torques() {
    Transmissions transmissions(out_.model);
    std::vector<double>& kept = out_.load.motor_tau;
    kept.resize(motor_tau_.size());
    for (const Transmission& group : out_.model->transmissions)
      for (const int dof : group.dofs)
        if (group.law) kept[size_t(dof)] += std::exchange(motor_tau_[size_t(dof)], 0.0);
    transmissions.add_motor_torques(motor_tau_, out_.load.tau);
  }

  // Returns K_T K_a, the gain from amplifier input to motor torque (KHALIL 9.4).
  double input_gain(const JointValues& values, int column) const {
    const Motor& motor = motor_of_dof(*out_.model, column);
    if (!(motor.torque_constant > 0 && motor.amplifier_gain > 0))
      fail(values.source, fmt::format("the motor of joint '{}' has no amplifier input; set "
                                      "torque_constant and amplifier_gain in its motor",
                                      out_.model->joint_of_dof(column).name));
    return motor.torque_constant * motor.amplifier_gain;
  }

  void need_actuator(int column, const std::string& source) const {
    if (out_.model->drives[size_t(column)].passive)
      fail(source,
           fmt::format(
               "joint '{}' is passive: no torque can be applied to it; apply a wrench to its link, "
               "or set {}",
               out_.model->joint_of_dof(column).name, how_to_add_motors));
  }

  void need_motors(const JointValues& values, int first, size_t count) const {
    for (const ElasticRotor& rotor : out_.model->elastic_rotors)
      if (rotor.dof >= first && rotor.dof < first + int(count))
        fail(values.source,
             fmt::format("the motor of joint '{}' is the joint '{}'; set q and v of that joint",
                         out_.model->joint_of_dof(rotor.dof).name,
                         out_.model->joint_of_dof(rotor.rotor_dof).name));
    for (size_t k = size_t(first); k < size_t(first) + count; ++k)
      if (!out_.model->drives[k].elasticity)
        fail(values.source, fmt::format("joint '{}' is not elastic, so its motor has no separate "
                                        "position; set q and v of the joint",
                                        out_.model->joint_of_dof(int(k)).name));
  }

  void add(const JointValues& values) {
    const bool of_q = values.target == Target::q;
    // Names of the values of Target.
    static constexpr const char* keys[] = {"q",       "v",         "tau",  "motor_q",
                                           "motor_v", "motor_tau", "input"};
    const char* key = keys[int(values.target)];
    if (const auto* list = std::get_if<std::vector<double>>(&values.values)) {
      const int n = of_q ? columns_.n_q : columns_.n_v;
      if (int(list->size()) != n)
        fail(values.source, fmt::format("{} has {} entries; it must have {}, as the robot's joints",
                                        key, list->size(), n));
      if (n > 0) put(values, *list, columns_.first_q, columns_.first_v);
      return;
    }
    for (const auto& [name, given] :
         std::get<std::map<std::string, std::vector<double>>>(values.values)) {
      const Joint& joint = joint_named(name, values.source);
      const JointTraits& kind = traits(joint.kind);
      const int n = of_q ? kind.n_q : kind.n_v;
      if (int(given.size()) != n)
        fail(values.source, fmt::format("{} of joint '{}' has {} entries; a {} joint has {}", key,
                                        name, given.size(), kind.name, n));
      put(values, given, joint.q_index, joint.v_index);
      if (!robot_.hold && (of_q || values.target == Target::v)) hold(joint);
    }
  }

  void hold(const Joint& joint) {
    std::fill_n(out_.held.begin() + joint.v_index, traits(joint.kind).n_v, char(1));
  }

  const Joint& joint_named(const std::string& name, const std::string& source) const {
    std::vector<std::string> names;
    for (int i = 0; i < columns_.n_joint; ++i) {
      const Joint& joint = out_.model->joints[columns_.first_joint + i];
      if (joint.name == prefix_ + name) return joint;
      names.push_back(joint.name.substr(prefix_.size()));
    }
    fail(source, fmt::format("there is no moving joint '{}'{}", name, did_you_mean(name, names)));
  }

  int frame_named(const std::string& name, const std::string& source) const {
    std::vector<std::string> names;
    for (const LinkDescription& link : robot_.description.links) names.push_back(link.name);
    for (const FrameDescription& frame : robot_.description.frames) names.push_back(frame.name);
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(source,
           fmt::format("there is no link or frame '{}'{}", name, did_you_mean(name, names)));
    return out_.model->frame(prefix_ + name);
  }

  void add(const AppliedWrench& wrench) {
    const int frame = frame_named(wrench.frame, wrench.source);
    if (const auto* constant = std::get_if<Wrench<double>>(&wrench.F_F))
      out_.load.wrench_F.emplace_back(frame, *constant);
    else
      made_.wrenches.push_back(
          {frame, std::get<FunctionReference>(wrench.F_F).key, wrench.frame, wrench.source});
  }

  void add(const ForceFunctionRequest& request) {
    RunForce out{{robot_index(), {}, {}}, request.function.key, request.frames, request.source};
    for (const std::string& frame : request.frames)
      out.force.frames.push_back(frame_named(frame, request.source));
    made_.forces.push_back(std::move(out));
  }

  void add(const AttachedPayload& attached) {
    if (attached.payload.attach >= out_.duration)
      fail(attached.source, fmt::format("a payload is attached at {:g} s, after the end of the "
                                        "experiment at {:g} s; attach it earlier",
                                        attached.payload.attach, out_.duration));
    out_.payloads.push_back(attached.payload);
    out_.payloads.back().frame = frame_named(attached.frame, attached.source);
  }

  void add(const ControlRequest& request) {
    const auto elastic = [&](const Drive& drive) { return drive.elasticity.has_value(); };
    const auto first_drive = out_.model->drives.begin() + columns_.first_v;
    if (request.of_motors && std::none_of(first_drive, first_drive + columns_.n_v, elastic))
      fail(request.source, "a control measures motors, but no joint is elastic; remove measures");
    made_.controls.push_back(make_control(L_, request, robot_, out_.gravity_W));
    made_.controls.back().control.robot = robot_index();
  }

  int robot_index() const { return int(&columns_ - out_.model->robots.data()); }

  void add_motion(const JointFunction& motion) {
    const Joint& joint = joint_named(motion.joint, motion.source);
    const int index = int(&joint - out_.model->joints.data());
    if (motion.trajectory) {
      out_.load.prescriptions.push_back(
          {index, follow(motion, joint.kind), motion.source, motion.trajectory->breaks()});
      return;
    }
    made_.motions.push_back({index, motion.function.key, motion.joint, motion.source});
  }

  std::function<void(double, std::span<double>, std::span<double>)> follow(
      const JointFunction& motion, JointKind kind) const {
    try {
      return motion_of_joint(motion.trajectory, motion.joint, kind);
    } catch (const Error& error) {
      fail(motion.source, error.what());
    }
  }

  void add_torque(const JointFunction& torque) {
    const Joint& joint = joint_named(torque.joint, torque.source);
    const int column = joint.v_index, n = traits(joint.kind).n_v;
    if (n != 1)
      fail(torque.source, fmt::format("tau of joint '{}' is a function of time, but the joint has "
                                      "{} degrees of freedom; apply a wrench instead",
                                      torque.joint, n));
    need_actuator(column, torque.source);
    if (std::any_of(robot_.motions.begin(), robot_.motions.end(),
                    [&](const JointFunction& motion) { return motion.joint == torque.joint; }))
      fail(torque.source, fmt::format("the motion of joint '{}' is prescribed, so it takes no "
                                      "torque; remove one of the two",
                                      torque.joint));
    made_.torques.push_back({column, torque.function.key, torque.joint, torque.source});
  }

  lua_State* L_;
  RobotObject& robot_;
  const Robot& columns_;
  ExperimentObject& made_;
  Experiment& out_;
  std::vector<double> motor_tau_;  // [n_v], or empty if the script gives no motor torque
  std::string prefix_;
};

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

void build_model(lua_State* L, WorldObject& world, ExperimentObject& made) {
  Experiment& out = made.experiment;
  ModelBuilder builder;
  for (const RobotObject* robot : world.robots) {
    RobotDescription description = robot->description;
    if (scene_of(L).any_inertia) description.nonphysical = Nonphysical::allow;
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
    Resolver(L, *world.robots[i], model.robots[i], made).run();
  fill_missing(out);
}

namespace {

// Implements world:experiment{ solver =, constraint_solver =, compare = {..}, integrator = { name,
// dt = }, duration =, record = {..}, record_interval =, metrics =, energy_tolerance =,
// separate_overlaps =, variants =,
// changes = }.
int experiment(lua_State* L) {
  auto& world = self<WorldObject>(L, world_type, "world:experiment{...}");
  SceneContext& scene = scene_of(L);
  const TableReader table(L, 2, {"world:experiment", ""},
                          {"solver", "constraint_solver", "compare", "integrator", "duration",
                           "record", "record_interval", "metrics", "energy_tolerance",
                           "separate_overlaps", "variants", "changes", "plugins"});
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
  out.variants = read_variants(table, scene);
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
  // Throws Error for an unknown signal.
  (void)Recorder(*out.model, out.record, out.compare, controls);
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
