// Implements the methods of arm:dynamics for the limits of motions: torque_check, time_optimal and
// actuator_limits.

#include <cmath>

#include "torsor/base/memory.hpp"
#include "torsor/motions/actuator_limits.hpp"
#include "torsor/motions/time_optimal.hpp"
#include "torsor/motions/torque_check.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/fields.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"

namespace torsor::lua {

namespace {

// Returns the trajectory of a method d:CALL(move, ..) at stack index 2.
std::shared_ptr<const DesiredMotion> motion_of(lua_State* L, const DynamicsObject& d,
                                               const char* call) {
  std::shared_ptr<const DesiredMotion> motion = trajectory_at(L, 2);
  if (!motion)
    throw Error(
        fmt::format("{}: {}: argument 1 is {}; give a trajectory", d.owner, call,
                    lua_isnoneornil(L, 2) ? "missing" : fmt::format("a {}", luaL_typename(L, 2))));
  if (!d.make_solver)
    throw Error(fmt::format(
        "{}: {}: plugins are not available where this scene is loaded; run it as a scene", d.owner,
        call));
  if (fingerprint(motion->model()) != fingerprint(d.state.model()))
    throw Error(fmt::format("{}: {}: the trajectory belongs to another robot", d.owner, call));
  return motion;
}

std::optional<double> optional_number(const TableReader& table, const char* key) {
  return table.has(key) ? std::optional(table.number(key)) : std::nullopt;
}

// Reads { joint = { speed =, torque = } } [n_v].
std::vector<MotorData> read_motor_data(const TableReader& table, const Model& model) {
  std::vector<MotorData> out(size_t(model.n_v), {INFINITY, INFINITY});
  if (!table.has("motors")) return out;
  table.each("motors", [&](const std::string& name, int index, const Place& place) {
    const TableReader motor(table.state(), index, place, {"speed", "torque"});
    const Joint& joint = model.joints[size_t(model.joint(name))];
    if (traits(joint.kind).n_v != 1)
      place.fail(fmt::format("is joint '{}', which has no motor of its own", name));
    if (model.drives[size_t(joint.v_index)].passive)
      place.fail(fmt::format("is joint '{}', which is passive and has no motor", name));
    for (const Mimicry& mimic : model.mimics)
      if (mimic.dof == joint.v_index)
        place.fail(fmt::format(
            "is joint '{}', which mimics joint '{}'; give the data of the motor of that joint",
            name, model.joint_of_dof(mimic.of_dof).name));
    for (const Transmission& group : model.transmissions)
      if (std::ranges::count(group.dofs, joint.v_index))
        place.fail(fmt::format(
            "is joint '{}' of a transmission; give the joint limits of velocity and effort", name));
    out[size_t(joint.v_index)] = {motor.positive_or("speed", INFINITY, " rad/s"),
                                  motor.positive_or("torque", INFINITY, " N m")};
  });
  return out;
}

void push_phase(lua_State* L, const Model& model, std::span<const PhasePoint> phase) {
  const auto list = [&](const char* key, double PhasePoint::*member) {
    std::vector<double> values;
    for (const PhasePoint& point : phase) values.push_back(point.*member);
    set_field(L, key, values);
  };
  lua_createtable(L, 0, 5);
  list("s", &PhasePoint::s);
  list("rate", &PhasePoint::rate);
  list("max_rate", &PhasePoint::max_rate);
  list("time", &PhasePoint::time);
  const std::vector<std::string> names = model.dof_names();
  lua_createtable(L, int(phase.size()), 0);
  for (size_t k = 0; k < phase.size(); ++k) {
    const std::string& name = names[size_t(phase[k].dof)];
    lua_pushlstring(L, name.data(), name.size());
    lua_rawseti(L, -2, lua_Integer(k) + 1);
  }
  lua_setfield(L, -2, "joint");
}

}  // namespace

int whole_number(const TableReader& table, const char* key, int otherwise, int least, int most) {
  const double value = table.number_or(key, otherwise);
  if (!(value >= least && value <= most) || value != std::floor(value))
    table.fail(fmt::format("{} is {}; give a whole number from {} to {}", key, value, least, most));
  return int(value);
}

// Implements d:torque_check(move, { samples = }). Returns { scale =, joint =, time =, joints = { {
// name =, peak =, peak_time =, motor_peak =, limit =, use =, use_time =, exceeded_from =,
// exceeded_to = }, .. } }.
int check_torques_of_motion(lua_State* L) {
  auto& d = self<DynamicsObject>(L, dynamics_type, "d:torque_check(move, {...})");
  const std::shared_ptr<const DesiredMotion> trajectory = motion_of(L, d, "torque_check");
  complete_options(L, 3);
  const TableReader table(L, 3, {fmt::format("torque_check in {}", d.owner), ""}, {"samples"});
  const Model& model = trajectory->model();
  const int samples = whole_number(table, "samples", 201, 2, 1000000);
  Sandbox::of(L).charge_work(L, fmt::format("{}: torque_check with {} samples", d.owner, samples),
                             steps_of_kernels(model, 2 * check_evaluations(*trajectory, samples)));
  Solver solver = d.make_solver(trajectory->model_ptr());
  const TorqueCheck check = owned(d.owner + ": torque_check", [&] {
    return check_torques(*trajectory, solver, d.state.gravity_W(), samples);
  });
  const std::vector<std::string> names = model.dof_names();
  lua_createtable(L, 0, 4);
  set_field(L, "scale", check.scale);
  if (check.dof >= 0) {
    set_field(L, "joint", names[size_t(check.dof)]);
    set_field(L, "time", check.time);
  }
  lua_createtable(L, model.n_v, 0);
  for (int k = 0; k < model.n_v; ++k) {
    const TorqueUse& use = check.dofs[size_t(k)];
    lua_createtable(L, 0, 9);
    set_field(L, "name", names[size_t(k)]);
    set_field(L, "peak", use.peak);
    set_field(L, "peak_time", use.peak_time);
    set_field(L, "motor_peak", use.motor_peak);
    set_field(L, "limit", use.limit);
    set_field(L, "use", use.use);
    set_field(L, "use_time", use.use_time);
    if (!std::isnan(use.exceeded_from)) {
      set_field(L, "exceeded_from", use.exceeded_from);
      set_field(L, "exceeded_to", use.exceeded_to);
    }
    lua_rawseti(L, -2, k + 1);
  }
  lua_setfield(L, -2, "joints");
  return 1;
}

// Implements d:time_optimal(path, { points =, start_rate =, end_rate = }). Returns { move =,
// duration =, phase = { s =, rate =, max_rate =, time =, joint = } }.
int time_optimal_motion(lua_State* L) {
  auto& d = self<DynamicsObject>(L, dynamics_type, "d:time_optimal(path, {...})");
  SceneContext& scene = scene_of(L);
  const auto path = std::dynamic_pointer_cast<const Trajectory>(motion_of(L, d, "time_optimal"));
  complete_options(L, 3);
  const TableReader table(L, 3, {fmt::format("time_optimal in {}", d.owner), ""},
                          {"points", "start_rate", "end_rate"});
  if (!path)
    throw Error(fmt::format("{}: time_optimal: a sequence is not one path; give one of its motions",
                            d.owner));
  const Model& model = path->model();
  TimeOptimalOptions options{.points = whole_number(table, "points", 1000, 10, 100000),
                             .start_rate = optional_number(table, "start_rate"),
                             .end_rate = optional_number(table, "end_rate")};
  const double points = options.points + 10.0 * double(path->breaks().size()), n = model.n_v;
  const std::string size = fmt::format("the computation with {} points", options.points);
  options.working = [&] { Sandbox::of(L).charge_work(L, size, 20 * points * n * n); };
  Sandbox::of(L).charge_work(L, fmt::format("{}: time_optimal: {}", d.owner, size),
                             steps_of_kernels(model, 20 * points));
  // Five points of three limits of five numbers for each dof; and the motion, which is kept.
  const double work = points * n * 15 * 5 * sizeof(double), kept = 300 * points;
  const std::string what = fmt::format("{}: time_optimal: {}", d.owner, size);
  {
    const TemporaryMemory both(what, work + kept);  // names the call if there is too little memory
  }
  const TemporaryMemory memory(what, work);
  Sandbox::of(L).charge_memory(L, size_t(kept));
  Solver solver = d.make_solver(path->model_ptr());
  const TimeOptimal out = owned(d.owner + ": time_optimal", [&] {
    return time_optimal(path, solver, d.state.gravity_W(), options);
  });
  lua_createtable(L, 0, 3);
  set_field(L, "duration", out.motion->duration());
  push_phase(L, model, out.phase);
  lua_setfield(L, -2, "phase");
  push_trajectory(L, scene, out.motion);
  lua_setfield(L, -2, "move");
  return 1;
}

// Implements d:actuator_limits{ motors = { joint = { speed =, torque = } } }. Returns { speed =,
// acceleration =, inertia = }.
int limits_of_actuators(lua_State* L) {
  auto& d = self<DynamicsObject>(L, dynamics_type, "d:actuator_limits{...}");
  complete_options(L, 2);
  const TableReader table(L, 2, {fmt::format("actuator_limits in {}", d.owner), ""}, {"motors"});
  require_solver(d);
  const Model& model = d.state.model();
  const std::vector<MotorData> motors = read_motor_data(table, model);
  const ActuatorLimits limits = owned(d.owner + ": actuator_limits", [&] {
    return actuator_limits(d.state.model_ptr(), *d.solver, motors, [&](int kernels) {
      Sandbox::of(L).charge(L, (long long)steps_of_kernels(model, kernels));
    });
  });
  lua_createtable(L, 0, 3);
  set_field(L, "speed", limits.speed);
  set_field(L, "acceleration", limits.acceleration);
  set_field(L, "inertia", limits.inertia);
  return 1;
}

}  // namespace torsor::lua
