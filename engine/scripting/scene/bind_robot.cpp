// Implements torsor.robot, torsor.urdf, torsor.mjcf, torsor.sdf and the methods of robot objects.

#include <fmt/format.h>

#include "torsor/formats/robot_file.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/sensors/read_sensor.hpp"
#include "torsor/scripting/shapes/read_shapes.hpp"
#include "torsor/scripting/values/read_control.hpp"
#include "torsor/scripting/values/read_drive.hpp"
#include "torsor/scripting/values/read_force.hpp"
#include "torsor/scripting/values/read_link.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"
#include "torsor/scripting/values/time_function.hpp"

namespace torsor::lua {

namespace {

int add_robot(lua_State* L, RobotDescription description) {
  SceneContext& scene = scene_of(L);
  size_t visuals = 0;
  for (const LinkDescription& link : description.links)
    visuals += link.visuals.size() + link.collisions.size();
  Sandbox::of(L).charge_memory(
      L, bytes_per_link * (1 + description.links.size() + description.frames.size()) +
             bytes_per_visual * visuals);
  scene.robots.push_back(std::make_unique<RobotObject>());
  scene.robots.back()->description = std::move(description);
  push_handle(L, scene.robots.back().get(), robot_type);
  return 1;
}

void check_name(const TableReader& table, const std::string& name) {
  if (name.empty()) table.place().inside("name").fail("is empty");
  if (name.find('.') != std::string::npos)
    table.place().inside("name").fail(fmt::format(
        "is '{}'; a robot's name must not contain dots, which separate it from its signals", name));
}

// Implements torsor.robot{ name =, allow_nonphysical =, com_frames =, family = }.
int robot(lua_State* L) {
  const TableReader table(L, 1, {"torsor.robot", ""},
                          {"name", "allow_nonphysical", "com_frames", "family"});
  RobotDescription out;
  out.name = table.text("name");
  check_name(table, out.name);
  if (table.flag_or("allow_nonphysical", false)) out.nonphysical = Nonphysical::allow;
  out.com_frames = table.flag_or("com_frames", false);
  out.family = table.text_or("family", "");
  return add_robot(L, std::move(out));
}

// Reads the option floating_base: true, false or { motors = true }.
void read_floating_base(const TableReader& table, RobotFileOptions& options) {
  if (!table.has("floating_base")) return;
  options.floating_base = !table.is_flag("floating_base") || table.flag_or("floating_base", false);
  if (!table.is_flag("floating_base"))
    options.base_motors = table.table("floating_base", {"motors"}).flag_or("motors", false);
}

// Implements torsor.urdf("file.urdf", { name =, strict =, com_frames =, floating_base =,
// collisions = }), and the same for other formats: `call` is the name of the function, and `format`
// that of the format. The path is relative to the folder of the scene.
int read_robot(lua_State* L, const char* call, std::string_view format) {
  if (lua_type(L, 1) != LUA_TSTRING)
    throw Error(fmt::format("{} takes the path of a robot file as its first argument", call));
  complete_options(L, 2);
  const TableReader table(L, 2, {call, ""},
                          {"name", "strict", "com_frames", "floating_base", "collisions"});
  RobotFileOptions options;
  options.strict = table.flag_or("strict", options.strict);
  options.com_frames = table.flag_or("com_frames", options.com_frames);
  options.name = table.text_or("name", "");
  if (table.has("name")) check_name(table, options.name);
  read_floating_base(table, options);
  options.collisions = table.flag_or("collisions", false);
  options.meshes = mesh_access(L, call);
  const std::filesystem::path file = named_file(L, name_at(L, 1, {call, "path"}));
  const RobotFormat* known = robot_format(file);
  if (known && known->name == "xacro") read_robot_file(file, options);  // throws Error with a hint
  require_robot_format(file, format, call);
  require_readable_by_script(L, file, call);
  Sandbox::of(L).note_file(L, file);
  RobotDescription out = read_robot_file(file, options);
  check_name(table, out.name);
  return add_robot(L, std::move(out));
}

int read_urdf_robot(lua_State* L) {
  return read_robot(L, "torsor.urdf", "URDF");
}
int read_mjcf_robot(lua_State* L) {
  return read_robot(L, "torsor.mjcf", "MJCF");
}
int read_sdf_robot(lua_State* L) {
  return read_robot(L, "torsor.sdf", "SDF");
}

RobotObject& robot_to_change(lua_State* L, const char* call) {
  auto& out = self<RobotObject>(L, robot_type, call);
  if (out.built)
    throw Error(
        fmt::format("{}: robot '{}' is already in an experiment; change it before world:experiment",
                    call, out.description.name));
  return out;
}

// Returns the robot object on which a method that changes the model was called. Throws Error if the
// model of the robot has already been built.
RobotObject& robot_to_extend(lua_State* L, const char* call) {
  RobotObject& out = robot_to_change(L, call);
  if (out.model)
    throw Error(fmt::format(
        "{}: the dynamics, kinematics or a trajectory of robot '{}' are already in use; change "
        "the robot before them",
        call, out.description.name));
  return out;
}

// Implements arm:link{...}. read_link.hpp describes the keys.
int link(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:link{...}");
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  LinkDescription link = read_link(L, 2, Sandbox::of(L).where(L, 1));
  std::vector<std::string>& columns = robot.description.dof_order;
  if (!columns.empty() && link.joint.kind != JointKind::fixed) columns.push_back(link.joint.name);
  robot.description.links.push_back(std::move(link));
  return 0;
}

// Implements arm:frame{ name =, link =, origin = }. origin is the pose of the frame in the link.
int frame(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:frame{...}");
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  TableReader table(L, 2, {"arm:frame", ""}, {"name", "link", "origin"});
  FrameDescription out;
  out.name = table.text("name");
  table.set_owner(fmt::format("frame '{}'", out.name));
  out.link = table.text("link");
  out.X_LF = read_pose(table, "origin");
  out.source = Sandbox::of(L).where(L, 1);
  robot.description.frames.push_back(std::move(out));
  return 0;
}

// Implements arm:close{ KIND, name =, .. }. read_link.hpp describes the keys.
int close_loop(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:close{...}");
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  robot.description.closures.push_back(read_closure(L, 2, "arm:close", Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements arm:transmission{ joints =, jacobian =, motors = }.
int transmission(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:transmission{...}");
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  const TableReader table(L, 2, {"arm:transmission", ""}, {"joints", "jacobian", "motors"});
  TransmissionDescription out = read_transmission(table, Sandbox::of(L).where(L, 1));
  robot.description.transmissions.push_back(std::move(out));
  return 0;
}

// Implements arm:stiffness{ joints =, matrix =, damping = }.
int stiffness(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:stiffness{...}");
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  const TableReader table(L, 2, {"arm:stiffness", ""}, {"joints", "matrix", "damping"});
  StiffnessDescription out = read_stiffness(table);
  out.source = Sandbox::of(L).where(L, 1);
  robot.description.stiffnesses.push_back(std::move(out));
  return 0;
}

// Implements arm:collision{ SHAPE, link =, .. }. read_shapes.hpp describes the keys.
int collision(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:collision{...}");
  std::string link;
  CollisionDescription out =
      read_collision(L, 2, {"arm:collision", ""}, Sandbox::of(L).where(L, 1), &link);
  std::vector<std::string> names;
  for (LinkDescription& each : robot.description.links) {
    names.push_back(each.name);
    if (each.name != link) continue;
    each.collisions.push_back(std::move(out));
    return 0;
  }
  throw Error(
      fmt::format("arm:collision: there is no link '{}'{}", link, did_you_mean(link, names)));
}

// Implements arm:collision_pair{ A, B, .. }.
int collision_pair(lua_State* L) {
  RobotObject& robot = robot_to_extend(L, "arm:collision_pair{...}");
  robot.description.collision_pairs.push_back(
      read_collision_pair(L, 2, "arm:collision_pair", Sandbox::of(L).where(L, 1)));
  return 0;
}

int set_parameters(lua_State* L) {
  set_robot_parameters(L, robot_to_extend(L, "arm:set_parameters{...}"));
  return 0;
}

bool has_named_keys(lua_State* L, int index) {
  if (!lua_istable(L, index) || lua_rawlen(L, index) > 0) return false;
  lua_pushnil(L);
  if (lua_next(L, index) == 0) return false;
  lua_pop(L, 2);
  return true;
}

// Returns q of a floating joint: a position and a quaternion.
std::vector<double> floating_position(const Pose<double>& X) {
  const Quaternion r = quaternion(X.R);
  return {X.p.x, X.p.y, X.p.z, r.w, r.x, r.y, r.z};
}

void read_joint_values(lua_State* L, RobotObject& robot, const TableReader& table, const char* key,
                       JointValues::Target target) {
  if (!table.has(key)) return;
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  JointValues out{target, {}, Sandbox::of(L).where(L, 1)};
  if (table.is_list(key)) {
    std::vector<double> list = table.numbers(key);
    Sandbox::of(L).charge_memory(L, list.size() * sizeof(double));
    out.values = std::move(list);
  } else {
    std::map<std::string, std::vector<double>> by_name;
    table.each(key, [&](const std::string& joint, int value, const Place& place) {
      if (target == JointValues::Target::tau && lua_isfunction(L, value)) {
        Sandbox::of(L).charge_memory(L, bytes_per_setting + joint.size());
        robot.torques.push_back({joint, {keep_function(L, value)}, out.source});
        return;
      }
      std::vector<double>& entries = by_name[joint];
      if (target == JointValues::Target::q && has_named_keys(L, value))
        entries = floating_position(pose_at(L, value, place));
      else if (lua_istable(L, value))
        entries = numbers_at(L, value, place);
      else
        entries = {number_at(L, value, place)};
      Sandbox::of(L).charge_memory(L, sizeof(double) * entries.size() + 2 * joint.size() + 100);
    });
    out.values = std::move(by_name);
  }
  robot.values.push_back(std::move(out));
}

std::string owner(const RobotObject& robot) {
  return fmt::format("robot '{}'", robot.description.name);
}

// Implements arm:set{ q =, v =, motor_q =, motor_v =, hold = }, the state at time 0. Values are a
// list in dof order or a table by joint name. The value of a joint is a number, or a list for a
// joint with several coordinates. q of a floating joint may be a pose { xyz =, rpy = }. Missing
// values have these defaults:
// - a mimic joint follows the joint that it mimics;
// - the motor of an elastic joint has the value of the joint;
// - a quaternion is the identity;
// - all other values are zero.
// If the robot has closures, the joints of `hold` keep their values when the loops are closed. By
// default, those are joints with values by name.
int set(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:set{...}");
  const TableReader table(L, 2, {owner(robot), ""}, {"q", "v", "motor_q", "motor_v", "hold"});
  if (table.has("hold")) robot.hold = JointNames{table.texts("hold"), Sandbox::of(L).where(L, 1)};
  read_joint_values(L, robot, table, "q", JointValues::Target::q);
  read_joint_values(L, robot, table, "v", JointValues::Target::v);
  read_joint_values(L, robot, table, "motor_q", JointValues::Target::motor_q);
  read_joint_values(L, robot, table, "motor_v", JointValues::Target::motor_v);
  return 0;
}

// Implements arm:apply{ tau =, motor_tau =, input =, wrenches = { link = { moment =, force = } } }.
// The loads act from time 0 to the end of the run. They are added to the loads of earlier calls.
// Loads are constants. A wrench, and a torque in tau that is given by joint name, may also be a
// function of t.
//
//   tau        torques of the motors at the joints
//   motor_tau  torques on the motor shafts
//   input      inputs of the motors' amplifiers
//   wrenches   wrenches applied BY the environment ON the link, at the origin of the link frame
//              and in its axes
int apply(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:apply{...}");
  const TableReader table(L, 2, {owner(robot), ""}, {"tau", "motor_tau", "input", "wrenches"});
  read_joint_values(L, robot, table, "tau", JointValues::Target::tau);
  read_joint_values(L, robot, table, "motor_tau", JointValues::Target::motor_tau);
  read_joint_values(L, robot, table, "input", JointValues::Target::input);
  if (!table.has("wrenches")) return 0;
  table.each("wrenches", [&](const std::string& frame, int value, const Place& place) {
    Sandbox::of(L).charge_memory(L, bytes_per_setting);
    AppliedWrench& wrench = robot.wrenches.emplace_back(
        AppliedWrench{frame, Wrench<double>{}, Sandbox::of(L).where(L, 1)});
    if (lua_isfunction(L, value))
      wrench.F_F = FunctionReference{keep_function(L, value)};
    else
      wrench.F_F = read_wrench(TableReader(L, value, place, {"moment", "force"}));
  });
  return 0;
}

// Implements arm:prescribe{ motion = { joint = function(t) return v, vdot end } }. A trajectory may
// be given instead of the function. The joint follows this motion regardless of the forces on it. v
// and vdot are numbers, or lists for a joint with several dof.
int prescribe(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:prescribe{...}");
  const TableReader table(L, 2, {fmt::format("arm:prescribe of {}", owner(robot)), ""}, {"motion"});
  table.each("motion", [&](const std::string& joint, int value, const Place& place) {
    Sandbox::of(L).charge_memory(L, bytes_per_setting + joint.size());
    if (auto trajectory = trajectory_at(L, value)) {
      robot.motions.push_back({joint, {}, Sandbox::of(L).where(L, 1), std::move(trajectory)});
      return;
    }
    if (!lua_isfunction(L, value))
      place.fail(fmt::format(
          "is a {}; it must be a function of t that returns v and vdot, or a trajectory",
          luaL_typename(L, value)));
    robot.motions.push_back({joint, {keep_function(L, value)}, Sandbox::of(L).where(L, 1)});
  });
  return 0;
}

// Implements arm:control(law, {...}). read_control.hpp describes the arguments.
int control(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:control(law, {...})");
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  robot.controls.push_back(read_control(L, robot, Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements arm:sensor("KIND", {...}). read_sensor.hpp describes the arguments.
int sensor(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:sensor(kind, {...})");
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  robot.sensors.push_back(read_robot_sensor(L, robot.description.name, Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements arm:force(function, {...}). read_force.hpp describes the arguments.
int force(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:force(function, {...})");
  Sandbox::of(L).charge_memory(L, bytes_per_setting);
  robot.forces.push_back(
      read_force_function(L, robot.description.name, Sandbox::of(L).where(L, 1)));
  return 0;
}

// Implements arm:payload{ frame =, inertia =, attach =, release =, twist = { angular =, linear = }
// }. A payload is a body that is rigidly attached to the frame from time `attach` to time `release`
// (s). inertia is given in the frame. twist is the twist of the payload before it is attached, in
// world axes. Its reference point is the point of the payload that will be at the origin of the
// frame.
int payload(lua_State* L) {
  RobotObject& robot = robot_to_change(L, "arm:payload{...}");
  TableReader table(L, 2, {"arm:payload", ""}, {"frame", "inertia", "attach", "release", "twist"});
  AttachedPayload out{
      .frame = table.text("frame"), .payload = {}, .source = Sandbox::of(L).where(L, 1)};
  const std::string name = fmt::format("payload of '{}'", out.frame);
  table.set_owner(name);
  out.payload.name = fmt::format("{}: {}", out.source, name);
  out.payload.inertia_F = read_inertia(table);
  if (const auto defect = physical_defect(out.payload.inertia_F);
      defect && robot.description.nonphysical == Nonphysical::reject)
    table.fail(*defect);
  out.payload.attach = table.number_or("attach", 0);
  if (table.has("release")) out.payload.release = table.number("release");
  if (table.has("twist")) {
    const TableReader twist = table.table("twist", {"angular", "linear"});
    if (twist.has("angular")) out.payload.V_WP.w = twist.vector("angular");
    if (twist.has("linear")) out.payload.V_WP.v = twist.vector("linear");
  }
  Sandbox::of(L).charge_memory(L, bytes_per_link);
  robot.payloads.push_back(std::move(out));
  return 0;
}

}  // namespace

void add_robot_functions(lua_State* L) {
  constexpr Function methods[] = {{"actuators", guarded<robot_actuators>},
                                  {"apply", guarded<apply>},
                                  {"base_parameters", guarded<robot_base_parameters>},
                                  {"close", guarded<close_loop>},
                                  {"collision", guarded<collision>},
                                  {"collision_pair", guarded<collision_pair>},
                                  {"control", guarded<control>},
                                  {"dynamics", guarded<robot_dynamics>},
                                  {"exciting_motion", guarded<robot_exciting_motion>},
                                  {"identify", guarded<robot_identify>},
                                  {"inverse_kinematics", guarded<robot_inverse_kinematics>},
                                  {"force", guarded<force>},
                                  {"frame", guarded<frame>},
                                  {"keyframe", guarded<robot_keyframe>},
                                  {"keyframes", guarded<robot_keyframes>},
                                  {"link", guarded<link>},
                                  {"payload", guarded<payload>},
                                  {"prescribe", guarded<prescribe>},
                                  {"sensor", guarded<sensor>},
                                  {"set", guarded<set>},
                                  {"set_parameters", guarded<set_parameters>},
                                  {"trajectory", guarded<make_trajectory>},
                                  {"stiffness", guarded<stiffness>},
                                  {"transmission", guarded<transmission>}};
  make_type(L, robot_type, methods);
  constexpr Function functions[] = {{"mjcf", guarded<read_mjcf_robot>},
                                    {"robot", guarded<robot>},
                                    {"sdf", guarded<read_sdf_robot>},
                                    {"urdf", guarded<read_urdf_robot>}};
  add_functions(L, functions);
}

}  // namespace torsor::lua
