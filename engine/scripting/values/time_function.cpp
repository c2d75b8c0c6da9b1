#include "torsor/scripting/values/time_function.hpp"

#include <algorithm>

#include "torsor/constraints/loops/mechanism_dynamics.hpp"
#include "torsor/scripting/objects/transmission_function.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sensors/read_sensor.hpp"
#include "torsor/scripting/values/read_control.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

namespace {

// A Lua function that a run calls. `owner` is the beginning of its error messages.
struct Asked {
  std::shared_ptr<LoadedScript> script;
  int function;
  std::string owner;
  int results = 1;
};

// Calls the function. push(L) pushes the arguments and returns their number. Values that it pushes
// before the arguments stay on the stack. read() is called with the stack index of the first
// result.
template <class Push, class Read>
void call(const Asked& asked, const Push& push, const Read& read) {
  LoadedScript& script = *asked.script;
  script.ask([&](lua_State* L) {
    const int arguments = push(L), first = lua_gettop(L) - arguments + 1;
    lua_rawgeti(L, LUA_REGISTRYINDEX, asked.function);
    lua_insert(L, first);
    lua_call(L, arguments, LUA_MULTRET);
    if (const int count = lua_gettop(L) - first + 1; count != asked.results)
      throw Error(fmt::format("{} returns {} value{}; it must return {}", asked.owner, count,
                              count == 1 ? "" : "s", asked.results == 1 ? "one" : "two"));
    script.frozen.check(L, asked.owner);
    read(L, first);
  });
}
template <class Read>
void call_with_time(const Asked& asked, double t, const Read& read) {
  call(
      asked,
      [t](lua_State* L) {
        lua_pushnumber(L, t);
        return 1;
      },
      read);
}

// Reads a list of out.size() numbers. If out has one entry, a single number is accepted too.
void read_entries(lua_State* L, int index, const Place& place, std::span<double> out) {
  if (out.size() == 1 && lua_type(L, index) == LUA_TNUMBER) {
    out[0] = number_at(L, index, place);
    return;
  }
  const std::vector<double> given = numbers_at(L, index, place, out.size());
  std::copy(given.begin(), given.end(), out.begin());
}

}  // namespace

int keep_function(lua_State* L, int index) {
  lua_pushvalue(L, index);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

Wrench<double> read_wrench(const TableReader& wrench) {
  if (!wrench.has("moment") && !wrench.has("force"))
    wrench.fail("has neither moment nor force; give at least one");
  const Vec3<double> zero{0, 0, 0};
  return {wrench.has("moment") ? wrench.vector("moment") : zero,
          wrench.has("force") ? wrench.vector("force") : zero};
}

namespace {

using Script = std::shared_ptr<LoadedScript>;

Asked of_time(const RunFunction& made, const Script& script) {
  return {script, made.function,
          fmt::format("{}: the function of time for '{}'", made.source, made.name)};
}

std::function<Wrench<double>(double)> wrench_of_time(const Asked& asked) {
  return [asked](double t) {
    Wrench<double> out;
    call_with_time(asked, t, [&](lua_State* L, int result) {
      out = read_wrench(TableReader(L, result, {asked.owner, "the result"}, {"moment", "force"}));
    });
    return out;
  };
}

Prescription prescription(const RunFunction& motion, const Script& script) {
  const Asked asked{script, motion.function,
                    fmt::format("{}: the prescribed motion of '{}'", motion.source, motion.name),
                    2};
  return {motion.index,
          [asked](double t, std::span<double> v, std::span<double> vdot) {
            call_with_time(asked, t, [&](lua_State* L, int result) {
              read_entries(L, result, {asked.owner, "the velocity"}, v);
              read_entries(L, result + 1, {asked.owner, "the acceleration"}, vdot);
            });
          },
          motion.source};
}

// Returns the names of the dof of a robot.
std::vector<std::string> columns_of(const Model& model, const Robot& robot) {
  const std::vector<std::string> names = model.dof_names();
  return {names.begin() + robot.first_v, names.begin() + robot.first_v + robot.n_v};
}

// Reads a list of one number per dof. For one dof, a single number is accepted too. An error
// message for an entry names its dof.
void read_torques(lua_State* L, int index, const Place& place,
                  const std::vector<std::string>& columns, std::span<double> out) {
  if (!lua_istable(L, index) || lua_rawlen(L, index) != out.size() ||
      !first_extra_key(L, index, out.size()).empty())
    return read_entries(L, index, place, out);
  require_own_entries(L, index, place, "a list of numbers");
  for (size_t k = 0; k < out.size(); ++k) {
    lua_rawgeti(L, index, lua_Integer(k) + 1);
    out[k] = number_at(L, lua_gettop(L),
                       {place.owner, fmt::format("{}, joint '{}',", place.path, columns[k])});
    lua_pop(L, 1);
  }
}

// Returns a reference law that calls a Lua function of time. of_frame: the function returns the
// motion of a frame; otherwise it returns the motion of the joints.
ReferenceLaw reference_of_time(const Asked& asked, bool of_frame, size_t n_q, size_t n_v) {
  ReferenceLaw out;
  out.of_frame = of_frame;
  out.make = [n_q, n_v] {
    Reference made;
    made.order = TORSOR_MAX_ORDER;
    made.q.resize(n_q);
    for (std::vector<double>* part : {&made.v, &made.vdot, &made.vddot, &made.vdddot})
      part->resize(n_v);
    return made;
  };
  out.evaluate = [asked, of_frame](double t, Reference& reference) {
    call_with_time(asked, t, [&](lua_State* L, int result) {
      read_reference(L, result, {asked.owner, "the result"}, of_frame, reference);
    });
  };
  return out;
}

// A sensor that a law reads: its key in state.sensors, and its kind.
struct SensorKey {
  std::string name;
  SensorKind kind;
};

// Pushes the table state.sensors.
void push_sensors(lua_State* L, const std::vector<SensorKey>& sensors,
                  std::span<const double> values) {
  lua_createtable(L, 0, int(sensors.size()));
  for (const auto& [name, kind] : sensors) {
    const size_t n = traits(kind).values.size();
    push_sensor_values(L, kind, values.first(n));
    lua_setfield(L, -2, name.c_str());
    values = values.subspan(n);
  }
}

// Returns a control law that calls a Lua function, which returns the torques. A sampled law changes
// the entries of its memory list. A continuous-time law returns the time derivatives of its memory
// as a second result.
std::shared_ptr<const ControlLaw> law_of_function(const Asked& asked,
                                                  const std::optional<ReferenceLaw>& reference,
                                                  const std::vector<double>& memory, bool sampled,
                                                  const std::vector<std::string>& columns,
                                                  const std::vector<SensorKey>& sensors) {
  Asked law = asked;
  law.results = !sampled && !memory.empty() ? 2 : 1;
  const auto evaluate = [law, reference, memory, sampled, columns, sensors](
                            const Measured& at, double, std::span<const double> x,
                            const ControlLaw::Answer& out) {
    Reference wanted;
    if (reference) {
      wanted = reference->make();
      reference->evaluate(at.t, wanted);
    }
    std::vector<double> kept(out.memory.begin(), out.memory.end());
    if (!sampled)
      for (size_t k = 0; k < x.size(); ++k) kept.push_back(memory[k] + x[k]);
    int list = 0;
    call(
        law,
        [&](lua_State* L) {
          push_list(L, kept);
          list = lua_gettop(L);
          lua_pushnumber(L, at.t);
          lua_newtable(L);
          set_list(L, "q", at.q);
          set_list(L, "v", at.v);
          set_list(L, "motor_q", at.motor_q);
          set_list(L, "motor_v", at.motor_v);
          set_list(L, "lower", at.lower);
          set_list(L, "upper", at.upper);
          if (!sensors.empty()) {
            push_sensors(L, sensors, at.sensors);
            lua_setfield(L, -2, "sensors");
          }
          if (reference)
            push_reference(L, wanted, reference->of_frame);
          else
            lua_pushnil(L);
          lua_pushvalue(L, list);
          return 4;
        },
        [&](lua_State* L, int result) {
          read_torques(L, result, {law.owner, "the result"}, columns, out.tau);
          if (law.results == 2)
            read_entries(L, result + 1, {law.owner, "the rate of memory"}, out.xdot);
          if (sampled && !memory.empty())
            read_entries(L, list, {law.owner, "the memory"}, out.memory);
        });
  };
  const auto following = [=](const ReferenceLaw& other) {
    return law_of_function(asked, other, memory, sampled, columns, sensors);
  };
  if (sampled) return std::make_shared<FunctionLaw>(evaluate, 0, memory, reference, following);
  return std::make_shared<FunctionLaw>(evaluate, memory.size(), std::vector<double>(), reference,
                                       following);
}

// Returns the control law of a controller plugin after a change of parameters.
std::shared_ptr<const ControlLaw> law_with(const ControlParameters& changed,
                                           const Registry& plugins, const Controller& controller,
                                           const std::optional<ReferenceLaw>& reference,
                                           const Vec3<double>& gravity_W) {
  std::optional<ReferenceLaw> followed = reference;
  if (!changed.reference.empty()) {
    if (!reference || !reference->trajectory())
      throw Error("its reference is not a trajectory of a plugin");
    const Trajectory& now = *reference->trajectory();
    followed = following(plugins.make<Trajectory>(now.id(), now.model_ptr(),
                                                  with_changes(now.settings(), changed.reference)));
  }
  return std::make_shared<ControllerLaw>(
      plugins.controller(controller.id(), controller.model_ptr(), controller.dynamics().solver_id(),
                         gravity_W, with_changes(controller.settings(), changed.law),
                         mechanism_dynamics(controller.model())),
      followed);
}

Control control_of(const RunControl& made, const Script& script, const Experiment& experiment,
                   const std::shared_ptr<const Registry>& plugins) {
  const Model& model = *experiment.model;
  Control out = made.control;
  const Robot& robot = model.robots[size_t(out.robot)];
  const std::string owner = fmt::format("control '{}' of '{}'", out.name, robot.name);
  std::optional<ReferenceLaw> reference = made.reference;
  if (made.reference_function)
    reference = reference_of_time({script, *made.reference_function,
                                   fmt::format("{}: the reference of {}", out.source, owner)},
                                  reference->of_frame, size_t(robot.n_q), size_t(robot.n_v));
  try {
    if (made.controller) {
      out.law = std::make_shared<ControllerLaw>(made.controller, reference);
      out.with = [plugins, controller = made.controller, reference, g = experiment.gravity_W,
                  place =
                      fmt::format("{}: {}", out.source, owner)](const ControlParameters& changed) {
        try {
          return law_with(changed, *plugins, *controller, reference, g);
        } catch (const Error& error) {
          throw Error(fmt::format("{}: {}", place, error.what()));
        }
      };
    } else {
      std::vector<SensorKey> sensors;
      for (size_t k = 0; k < out.sensors.size(); ++k)
        sensors.push_back(
            {made.sensor_names[k], experiment.load.sensors[size_t(out.sensors[k])].kind});
      out.law = law_of_function(
          {script, *made.law_function, fmt::format("{}: {}", out.source, owner)}, reference,
          made.memory, out.period > 0, columns_of(model, robot), sensors);
    }
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}: {}", out.source, owner, error.what()));
  }
  return out;
}

// Returns a force that calls a Lua function of time and state.
ForceFunction force_of_function(const RunForce& made, const Script& script, const Model& model) {
  const std::string& robot = model.robots[size_t(made.force.robot)].name;
  const Asked asked{script, made.function,
                    fmt::format("{}: force of robot '{}'", made.source, robot)};
  ForceFunction out = made.force;
  out.evaluate = [asked, names = made.frames](const ForceFunction::State& at,
                                              const ForceFunction::Answer& answer) {
    call(
        asked,
        [&](lua_State* L) {
          lua_pushnumber(L, at.t);
          lua_createtable(L, 0, 3);
          set_list(L, "q", at.q);
          set_list(L, "v", at.v);
          lua_createtable(L, 0, int(names.size()));
          Reference frame;
          frame.order = 1;
          for (size_t i = 0; i < names.size(); ++i) {
            frame.X_WF = at.X_WF[i];
            frame.V[0] = at.V_WF_W[i];
            push_reference(L, frame, true);
            lua_setfield(L, -2, names[i].c_str());
          }
          lua_setfield(L, -2, "frames");
          return 2;
        },
        [&](lua_State* L, int result) {
          const TableReader given(L, result, {asked.owner, "the result"}, {"tau", "wrenches"});
          if (given.has("tau")) {
            lua_getfield(L, result, "tau");
            read_entries(L, lua_gettop(L), given.place().inside("tau"), answer.tau);
          }
          if (given.has("wrenches"))
            given.each("wrenches", [&](const std::string& frame, int value, const Place& place) {
              const auto known = std::find(names.begin(), names.end(), frame);
              if (known == names.end())
                place.fail(fmt::format("names a frame that is not in the list 'frames'{}",
                                       did_you_mean(frame, names)));
              answer.F_F_W[size_t(known - names.begin())] =
                  read_wrench(TableReader(L, value, place, {"moment", "force"}));
            });
        });
  };
  return out;
}

}  // namespace

Load with_functions(lua_State* L, const ExperimentObject& made,
                    std::shared_ptr<const Registry> plugins,
                    const std::shared_ptr<LoadedScript>& script) {
  Load load = made.experiment.load;
  const int top = lua_gettop(L);
  const auto freeze_function = [&](const RunFunction& run) {
    try {
      lua_rawgeti(L, LUA_REGISTRYINDEX, run.function);
      script->frozen.add(L);
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", run.source, error.what()));
    }
  };
  for (const RunFunction& wrench : made.wrenches) {
    freeze_function(wrench);
    load.wrench_of_time.emplace_back(wrench.index, wrench_of_time(of_time(wrench, script)));
  }
  for (const RunFunction& motion : made.motions) {
    freeze_function(motion);
    load.prescriptions.push_back(prescription(motion, script));
  }
  for (const RunForce& force : made.forces) {
    freeze_function({0, force.function, "", force.source});
    load.force_functions.push_back(force_of_function(force, script, *made.experiment.model));
  }
  for (const RunControl& control : made.controls) {
    for (const std::optional<int>& function : {control.law_function, control.reference_function})
      if (function) freeze_function({0, *function, control.control.name, control.control.source});
    load.controls.push_back(control_of(control, script, made.experiment, plugins));
  }
  for (const Transmission& group : made.experiment.model->transmissions)
    if (const auto function = function_of(group.law))
      freeze_function({0, function->key, "", group.source});
  std::vector<std::pair<size_t, Asked>> torques;
  for (const RunFunction& torque : made.torques) {
    freeze_function(torque);
    torques.emplace_back(size_t(torque.index), of_time(torque, script));
  }
  if (!torques.empty())
    load.tau_of_time = [torques](double t, std::span<double> tau) {
      for (const auto& torque : torques)
        call_with_time(torque.second, t, [&](lua_State* now, int result) {
          tau[torque.first] += number_at(now, result, {torque.second.owner, "the result"});
        });
    };
  lua_settop(L, top);
  return load;
}

}  // namespace torsor::lua
