#include "torsor/scripting/values/read_control.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/base/hash.hpp"
#include "torsor/base/memory.hpp"
#include "torsor/constraints/loops/mechanism_dynamics.hpp"
#include "torsor/mechanics/task.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/sensors/read_sensor.hpp"
#include "torsor/scripting/values/read_force.hpp"
#include "torsor/scripting/values/read_trajectory.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/scripting/values/time_function.hpp"

namespace torsor::lua {

namespace {

constexpr const char* of_every_law[] = {"rate",       "reference", "measures", "sensor", "sensors",
                                        "max_torque", "name",      "model",    "solver", "returns"};

// Describes the first joint that differs between two models. Returns "" if all joints have the same
// names and kinds.
std::string difference_of_joints(const Model& own, const Model& other) {
  const auto kinds = [](const Model& model) {
    std::vector<std::pair<std::string, JointKind>> out;
    for (const Joint& joint : model.joints) out.emplace_back(joint.name, joint.kind);
    return out;
  };
  const auto a = kinds(own), b = kinds(other);
  if (a == b) return "";
  const size_t k = size_t(
      std::mismatch(a.begin(), a.begin() + std::ptrdiff_t(std::min(a.size(), b.size())), b.begin())
          .first -
      a.begin());
  const auto named = [&](const auto& joints) {
    return k < joints.size()
               ? fmt::format("joint '{}' ({})", joints[k].first, traits(joints[k].second).name)
               : std::string("none");
  };
  return fmt::format("has other joints: this robot has {}, that one has {}", named(a), named(b));
}

ReferenceLaw at_rest(bool of_frame, const std::vector<double>& q, const Pose<double>& X_WF) {
  Hash hash;
  hash.add(q);
  hash.add(&X_WF, sizeof X_WF);
  return {.of_frame = of_frame,
          .make =
              [q, X_WF] {
                Reference out;
                out.q = q;
                out.X_WF = X_WF;
                return out;
              },
          .evaluate = [](double, Reference&) {},
          .fingerprint = hash.value()};
}

void read_reference_of_control(lua_State* L, const std::string& owner, RobotObject& robot,
                               ControlRequest& out) {
  const int type = lua_getfield(L, 3, "reference"), value = lua_gettop(L);
  const Place place{owner, "reference"};
  if (type == LUA_TNIL) return;
  if (type == LUA_TFUNCTION) {
    out.reference_of_time = FunctionReference{keep_function(L, value)};
  } else if (const auto trajectory = trajectory_at(L, value)) {
    if (!trajectory->of_frame())
      if (const std::string other = difference_of_joints(*own_model(L, robot), trajectory->model());
          !other.empty())
        place.fail("belongs to a robot that " + other);
    out.reference = following(trajectory);
  } else if (type == LUA_TTABLE) {
    const TableReader table(L, value, place, {"q", "pose"});
    if (std::string_view(table.one_of({"q", "pose"})) == "pose") {
      out.reference = at_rest(true, {}, read_pose(table, "pose"));
      return;
    }
    lua_getfield(L, value, "q");
    const std::shared_ptr<const Model>& model = own_model(L, robot);
    std::vector<double> q = read_position(L, lua_gettop(L), place.inside("q"), *model);
    if (q.size() != size_t(model->n_q))
      place.inside("q").fail(
          fmt::format("has {} entries; it must have {}, one for each coordinate of the robot",
                      q.size(), model->n_q));
    normalise(*model, q);
    out.reference = at_rest(false, q, Pose<double>::identity());
  } else {
    place.fail(fmt::format(
        "is a {}; it must be a trajectory, {{ q = .. }}, {{ pose = .. }} or a function of t",
        luaL_typename(L, value)));
  }
}

Sensor read_sensor(const TableReader& table) {
  Sensor out;
  out.resolution = table.number_or("resolution", 0);
  out.noise = table.number_or("noise", 0);
  out.rate_noise = table.number_or("rate_noise", 0);
  out.differentiates = table.flag_or("differentiates", false);
  out.delay = table.number_or("delay", 0);
  out.seed = read_seed(table);
  return out;
}

// Reads the options that apply to every control law.
void read_options(const TableReader& table, ControlRequest& out) {
  lua_State* L = table.state();
  out.period = read_period(table);
  const std::string measures = table.text_or("measures", "joints");
  if (measures != "joints" && measures != "motors")
    table.place()
        .inside("measures")
        .fail(fmt::format("is '{}'; it must be \"joints\", or \"motors\" for elastic joints",
                          measures));
  out.of_motors = measures == "motors";
  const std::string returns = table.text_or("returns", "torques");
  if (returns != "torques" && returns != "inputs")
    table.place().inside("returns").fail(fmt::format(
        "is '{}'; it must be \"torques\", or \"inputs\" of the motors' amplifiers", returns));
  out.gives_inputs = returns == "inputs";
  if (table.has("sensor"))
    out.sensor = read_sensor(table.table(
        "sensor", {"resolution", "noise", "rate_noise", "differentiates", "delay", "seed"}));
  if (table.has("sensors")) out.sensors = table.texts("sensors");
  if (table.has("max_torque")) {
    lua_getfield(L, 2 + 1, "max_torque");
    out.max_torque =
        lua_istable(L, -1) ? table.numbers("max_torque") : std::vector{table.number("max_torque")};
    for (const double limit : out.max_torque)
      if (!(limit > 0))
        table.place()
            .inside("max_torque")
            .fail(fmt::format("has {:g} N m; limits must be positive", limit));
  }
  out.name = table.text_or("name", out.name);
  if (out.name.empty() || out.name.find('.') != std::string::npos)
    table.place().inside("name").fail(fmt::format(
        "is '{}'; the name of a control must not contain dots, which separate it from its signals",
        out.name));
}

void read_plugin(lua_State* L, const std::string& owner, ControlRequest& out) {
  const auto& id = std::get<std::string>(out.law);
  out.parameters = read_parameters(L, 3, owner, of_every_law);
  // Copy the options into a new table without the parameters of the plugin.
  lua_newtable(L);
  for (const char* key : of_every_law) {
    lua_getfield(L, 3, key);
    if (std::string_view(key) == "model" || std::string_view(key) == "reference")
      lua_pop(L, 1);
    else
      lua_setfield(L, -2, key);
  }
  const TableReader options(
      L, lua_gettop(L), {owner, ""},
      {"rate", "measures", "sensor", "sensors", "max_torque", "name", "solver", "returns"});
  out.name = std::string(without_kind(id));
  out.solver = options.text_or("solver", "newton_euler");
  read_options(options, out);
  if (lua_getfield(L, 3, "model") != LUA_TNIL) {
    out.model = static_cast<const RobotObject*>(object_at(L, lua_gettop(L), robot_type));
    if (!out.model)
      Place{owner, "model"}.fail(
          fmt::format("is a {}; it must be a robot, the controller's model of the plant",
                      luaL_typename(L, -1)));
  }
}

void read_function(lua_State* L, const std::string& owner, ControlRequest& out) {
  const TableReader options(L, 3, {owner, ""},
                            {"rate", "reference", "measures", "sensor", "sensors", "max_torque",
                             "name", "memory", "returns"});
  out.name = "law";
  read_options(options, out);
  if (options.has("memory")) out.memory = options.numbers("memory");
}

}  // namespace

ReferenceLaw following(const std::shared_ptr<const DesiredMotion>& trajectory) {
  const auto evaluate = [trajectory](double t, Reference& out) {
    if (const Status status = trajectory->evaluate(t, out); !status)
      throw Error(trajectory->explain(status));
  };
  return {.of_frame = trajectory->of_frame(),
          .make = [trajectory] { return trajectory->make_reference(); },
          .evaluate = evaluate,
          .breaks = trajectory->breaks(),
          .smoothness = trajectory->smoothness(),
          .fingerprint = trajectory->fingerprint(),
          .motion = trajectory};
}

ControlRequest read_control(lua_State* L, RobotObject& robot, const std::string& source) {
  const int law = lua_type(L, 2);
  complete_options(L, 3);
  if ((law != LUA_TSTRING && law != LUA_TFUNCTION) || !lua_istable(L, 3))
    throw Error(
        "arm:control takes the name of a controller plugin, or a function of t, state, ref and "
        "memory; and then a table of options");
  ControlRequest out{};
  out.source = source;
  std::string owner;
  if (law == LUA_TSTRING) {
    out.law = name_at(L, 2, {"arm:control", "law"});
    owner = fmt::format("control '{}' of robot '{}'", std::get<std::string>(out.law),
                        robot.description.name);
    read_plugin(L, owner, out);
  } else {
    out.law = FunctionReference{keep_function(L, 2)};
    owner = fmt::format("control of robot '{}'", robot.description.name);
    read_function(L, owner, out);
  }
  Sandbox::of(L).charge_memory(L, sizeof(double) * (out.memory.size() + out.max_torque.size()));
  read_reference_of_control(L, owner, robot, out);
  return out;
}

namespace {

// Returns true if a reference function returns the pose of a frame, and false if it returns joint
// positions. Calls the function once with t = 0.
bool returns_pose(lua_State* L, int function) {
  const int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  lua_pushnumber(L, 0);
  lua_call(L, 1, 1);
  const bool pose = lua_istable(L, -1) && lua_getfield(L, -1, "pose") != LUA_TNIL;
  lua_settop(L, top);
  return pose;
}

// Replaces the names of frame components, as used in scripts, by component numbers, as used by
// plugins.
void number_components(std::vector<Parameter>& parameters) {
  for (Parameter& parameter : parameters) {
    auto* named = std::get_if<std::vector<FramePlace>>(&parameter.value);
    if (parameter.name != "components" || !named) continue;
    std::vector<std::string> names;
    for (const FramePlace& each : *named) names.push_back(each.name);
    const Components chosen = named_components(names, pose_components);
    std::vector<double> numbers;
    for (size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k]) numbers.push_back(double(k + 1));
    parameter.value = numbers;
  }
}

}  // namespace

RunControl make_control(lua_State* L, const ControlRequest& request, RobotObject& robot,
                        const Vec3<double>& gravity_W) {
  RunControl out{};
  out.memory = request.memory;
  out.sensor_names = request.sensors;
  out.control = {.name = request.name,
                 .law = {},
                 .of_motors = request.of_motors,
                 .gives_inputs = request.gives_inputs,
                 .period = request.period,
                 .sensor = request.sensor,
                 .max_torque = request.max_torque,
                 .source = request.source};
  try {
    const std::shared_ptr<const Model>& own = own_model(L, robot);
    std::vector<double>& limits = out.control.max_torque;
    if (limits.size() == 1) limits.assign(size_t(own->n_v), limits[0]);
    if (!limits.empty() && int(limits.size()) != own->n_v)
      throw Error(fmt::format(
          "max_torque has {} entries; give one value, or {} values, one for each degree of freedom",
          limits.size(), own->n_v));
    if (const auto* id = std::get_if<std::string>(&request.law)) {
      const auto& plugins = scene_of(L).plugins;
      if (!plugins)
        throw Error("plugins are not available where this scene is loaded; run it as a scene");
      const auto model =
          request.model ? build_alone(L, *request.model, robot.description.name, robot.X_WR) : own;
      if (const std::string other = difference_of_joints(*own, *model); !other.empty())
        throw Error("the controller's model " + other);
      std::vector<Parameter> parameters = request.parameters;
      number_components(parameters);
      use_model_names(*model, parameters);
      out.controller = plugins->controller(*id, model, request.solver, gravity_W, parameters,
                                           mechanism_dynamics(*model));
      reserve_memory(fmt::format("the states and the memory of control '{}'", request.name),
                     bytes_per_state * double(out.controller->n_x() + out.controller->n_memory()));
      if (out.controller->of_motors() && !request.of_motors)
        throw Error("the controller needs the motors of elastic joints; set measures = \"motors\"");
      if (out.controller->of_joints() && request.of_motors)
        throw Error(
            "the controller measures joints and motors by itself; remove measures = \"motors\"");
    } else {
      out.law_function = std::get<FunctionReference>(request.law).key;
    }
    out.reference = request.reference;
    if (request.reference_of_time) {
      out.reference_function = request.reference_of_time->key;
      out.reference = ReferenceLaw{};
      out.reference->of_frame = out.controller
                                    ? out.controller->reference() == TORSOR_REFERENCE_FRAME
                                    : returns_pose(L, *out.reference_function);
      out.reference->make = [] { return Reference(); };
    }
    if (out.controller)
      out.control.law = std::make_shared<ControllerLaw>(out.controller, out.reference);
    else
      out.control.law = std::make_shared<FunctionLaw>(FunctionLaw::Function(), 0,
                                                      std::vector<double>(), out.reference);
    return out;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: control '{}' of robot '{}': {}", request.source, request.name,
                            robot.description.name, error.what()));
  }
}

}  // namespace torsor::lua
