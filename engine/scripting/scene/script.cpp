#include "torsor/scripting/scene/script.hpp"

#include <algorithm>
#include <optional>

#include "torsor/base/prefix.hpp"
#include "torsor/formats/robot_file.hpp"
#include "torsor/recording/recording.hpp"
#include "torsor/scripting/objects/transmission_function.hpp"
#include "torsor/scripting/scene/experiment_plugins.hpp"
#include "torsor/scripting/scene/load_scene_plugins.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/read_changes.hpp"
#include "torsor/scripting/values/time_function.hpp"
#include "torsor/study/outcome.hpp"

namespace torsor {

namespace {

using lua::LoadedScript;
using lua::SceneContext;

// Describes the value on top of the stack for a message: "nothing", "a number", "a world".
std::string value_on_top(lua_State* L) {
  if (lua_isnil(L, -1)) return "nothing";
  for (const char* type : {lua::world_type, lua::robot_type, lua::experiment_type})
    if (lua::object_at(L, -1, type)) return fmt::format("{} {}", *type == 'e' ? "an" : "a", type);
  return fmt::format("a {}", luaL_typename(L, -1));
}

// Describes the return value of a file for a message, after robot_on_top() has found no robot.
// `file` is the stack index of the return value. The value on top of the stack is the result of the
// build function, if there is one.
std::string what_file_returns(lua_State* L, int file) {
  const std::string top = value_on_top(L);
  if (!lua_istable(L, file)) return "the file returns " + top;
  const int type = lua_getfield(L, file, "build");
  if (type == LUA_TFUNCTION) return "build(options) of the file returns " + top;
  if (type == LUA_TNIL) return "the file returns a table without build";
  return fmt::format("the file returns a table whose build is {}, not a function", value_on_top(L));
}

[[noreturn]] void fail_returned_neither(lua_State* L, int file) {
  throw Error(fmt::format(
      "{}; it must return an experiment, a robot, or a table whose build(options) returns a robot",
      what_file_returns(L, file)));
}

void require_overrides_taken(const SceneContext& scene) {
  if (scene.overrides.empty() || scene.overrides_taken) return;
  throw Error(fmt::format(
      "'{}' cannot be set; the file declares no parameters with torsor.params or torsor.options",
      scene.overrides.begin()->first));
}

// Throws Error if a robot has a state or loads but is in no world.
void require_robots_placed(const SceneContext& scene) {
  const auto is_model = [&](const auto& robot) {
    return std::any_of(scene.robots.begin(), scene.robots.end(), [&](const auto& other) {
      return std::any_of(other->controls.begin(), other->controls.end(),
                         [&](const auto& control) { return control.model == robot.get(); });
    });
  };
  for (const auto& robot : scene.robots) {
    const bool bare = robot->values.empty() && robot->wrenches.empty() && robot->torques.empty() &&
                      robot->motions.empty() && robot->controls.empty() && robot->forces.empty() &&
                      robot->payloads.empty();
    if (robot->world || bare) continue;
    throw Error(fmt::format(
        "robot '{}' has a state or a load but is in no world; {}", robot->description.name,
        is_model(robot) ? "the model of a control has neither, so put a load into its links"
                        : "add it with world:add(arm)"));
  }
}

std::optional<Experiment> experiment_on_top(lua_State* L,
                                            const std::shared_ptr<LoadedScript>& script) {
  const auto* made =
      static_cast<const lua::ExperimentObject*>(lua::object_at(L, -1, lua::experiment_type));
  if (!made) return std::nullopt;
  require_robots_placed(script->scene);
  Experiment out = made->experiment;
  out.parameters = script->scene.parameters;
  if (auto plugins = lua::plugins_with_own(script->box.options(), script))
    set_plugins(out, std::move(plugins));
  out.load = lua::with_functions(L, *made, out.plugins, script);
  if (out.plugins) lua::check_changes(out, made->source, script->scene.any_inertia);
  const bool calls_script = std::ranges::any_of(
      out.model->transmissions,
      [](const Transmission& group) { return lua::function_of(group.law).has_value(); });
  if (!script->scene.definitions.empty() || calls_script) out.load.owner = script;
  return out;
}

// Returns the experiment on top of the stack with its study, or nullopt.
std::optional<StudyScene> study_on_top(lua_State* L, const std::shared_ptr<LoadedScript>& script) {
  std::optional<Experiment> experiment = experiment_on_top(L, script);
  if (!experiment) return std::nullopt;
  StudyScene out{std::move(*experiment), script->scene.study_parameters, {}};
  const auto* made =
      static_cast<const lua::ExperimentObject*>(lua::object_at(L, -1, lua::experiment_type));
  if (made->outcome) out.outcome = lua::outcome_function(*made->outcome, script);
  return out;
}

// Returns the description of the robot on top of the stack, or nullopt. If the value is a module
// table, calls its build function first and leaves the result on top.
std::optional<RobotDescription> robot_on_top(lua_State* L,
                                             const std::shared_ptr<LoadedScript>& script) {
  if (lua_istable(L, -1) && lua_getfield(L, -1, "build") == LUA_TFUNCTION) {
    lua::push_overrides(L);
    lua_call(L, 1, 1);
  }
  const auto* made = static_cast<const lua::RobotObject*>(lua::object_at(L, -1, lua::robot_type));
  if (!made) return std::nullopt;
  if (const auto& own = script->scene.definitions; !own.empty())
    throw Error(fmt::format(
        "{}: a robot file cannot define a plugin; define '{}' in a scene or in a file of its own",
        own.front()->source, own.front()->id));
  RobotDescription out = made->description;
  lua::own_script(out, script);
  return out;
}

}  // namespace

Script::Script(ScriptOptions options) : options_(std::move(options)) {
  if (options_.scripts.empty()) options_.scripts = default_script_folder();
}

// Runs one file in a new Lua state. Calls `finish` with the return value of the file on top of the
// stack.
void Script::run(const std::filesystem::path& file, const Overrides& overrides,
                 const Finish& finish, bool any_inertia) {
  const auto script = std::make_shared<LoadedScript>(options_, stop_);
  lua::Sandbox& box = script->box;
  const auto note = [&] {
    files_ = box.files();
    box.end_loading();
  };
  script->scene.any_inertia = any_inertia;
  script->scene.overrides = overrides;
  box.main_file = file.string();
  try {
    box.run([&](lua_State* L) {
      lua::open_environment(L);
      lua::open_torsor(L);
      box.load_file(L, file);
      lua::set_environment(L);
      lua_call(L, 0, 1);
      finish(L, script);
      require_overrides_taken(script->scene);
    });
  } catch (...) {
    note();
    throw;
  }
  note();
}

Experiment Script::load_scene(const std::filesystem::path& file, const Overrides& overrides) {
  return load_study(file, overrides).experiment;
}

StudyScene Script::load_study(const std::filesystem::path& file, const Overrides& overrides) {
  constexpr const char* needed =
      "a scene is needed, a .lua file that ends with 'return world:experiment{...}'";
  constexpr const char* others = "torsor edit, eval, compare, inspect and lint take robots";
  if (robot_format(file))
    throw Error(fmt::format("{}: this is a robot; {}; {}", file.string(), needed, others));
  if (is_recording(file))
    throw Error(
        fmt::format("{}: this is a recording; {}; torsor info, plot and view take recordings",
                    file.string(), needed));
  std::optional<StudyScene> out;
  run(file, overrides, [&](lua_State* L, const std::shared_ptr<LoadedScript>& script) {
    if ((out = study_on_top(L, script))) return;
    const std::string found = value_on_top(L);
    if (robot_on_top(L, script))
      throw Error(fmt::format("this file returns a robot; {}; {}", needed, others));
    throw Error(fmt::format("this file returns {}; {}", found, needed));
  });
  return std::move(*out);
}

void Script::run_file(const std::filesystem::path& file, const Overrides& overrides) {
  run(file, overrides, [](lua_State*, const std::shared_ptr<LoadedScript>&) {});
}

RobotDescription Script::load_robot(const std::filesystem::path& file, const Overrides& overrides) {
  std::optional<RobotDescription> out;
  run(file, overrides, [&](lua_State* L, const std::shared_ptr<LoadedScript>& script) {
    const int file_value = lua_gettop(L);
    if (!(out = robot_on_top(L, script)))
      throw Error(
          fmt::format("{}; it must return a robot, or a table whose build(options) returns one",
                      what_file_returns(L, file_value)));
  });
  return std::move(*out);
}

std::variant<Experiment, RobotDescription> Script::load(const std::filesystem::path& file,
                                                        const Overrides& overrides) {
  std::optional<Experiment> experiment;
  std::optional<RobotDescription> robot;
  run(file, overrides, [&](lua_State* L, const std::shared_ptr<LoadedScript>& script) {
    const int file_value = lua_gettop(L);
    if (!(experiment = experiment_on_top(L, script)) && !(robot = robot_on_top(L, script)))
      fail_returned_neither(L, file_value);
  });
  if (experiment) return std::move(*experiment);
  return std::move(*robot);
}

std::vector<RobotDescription> Script::load_robots(const std::filesystem::path& file,
                                                  const Overrides& overrides) {
  std::vector<RobotDescription> out;
  const auto finish = [&](lua_State* L, const std::shared_ptr<LoadedScript>& script) {
    const int file_value = lua_gettop(L);
    if (experiment_on_top(L, script)) {
      for (const auto& robot : script->scene.robots)
        if (robot->world) out.push_back(robot->description);
    } else if (auto robot = robot_on_top(L, script)) {
      out.push_back(std::move(*robot));
    } else {
      fail_returned_neither(L, file_value);
    }
  };
  run(file, overrides, finish, true);
  return out;
}

Experiment load_scene(const std::filesystem::path& file, const Overrides& overrides,
                      const Registry* plugins, const Permission& permission) {
  return Script({.plugins = plugins, .permission = permission}).load_scene(file, overrides);
}

RobotDescription load_robot(const std::filesystem::path& file, const Overrides& overrides) {
  return Script().load_robot(file, overrides);
}

std::variant<Experiment, RobotDescription> load_scene_or_robot(const std::filesystem::path& file,
                                                               const Overrides& overrides,
                                                               const Registry* plugins,
                                                               const Permission& permission) {
  return Script({.plugins = plugins, .permission = permission}).load(file, overrides);
}

std::vector<RobotDescription> load_robots(const std::filesystem::path& file,
                                          const Overrides& overrides, const Registry* plugins,
                                          const Permission& permission) {
  return Script({.plugins = plugins, .permission = permission}).load_robots(file, overrides);
}

}  // namespace torsor
