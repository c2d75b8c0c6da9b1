#include "torsor/scripting/time_function.hpp"

#include <algorithm>

#include "torsor/scripting/reference_values.hpp"

namespace torsor::lua {

namespace {

constexpr const char* frozen_table = "torsor.frozen";  // each object that was reached -> what it held

// What a nil upvalue is remembered as.
void push_absent(lua_State* L) {
  lua_pushlightuserdata(L, nullptr);
}

bool same(lua_State* L, int a, int b) {
  if (lua_rawequal(L, a, b)) return true;
  const auto is_nan = [&](int i) {
    return lua_type(L, i) == LUA_TNUMBER && lua_tonumber(L, i) != lua_tonumber(L, i);
  };
  return is_nan(a) && is_nan(b);
}

void refuse_to_go_on(const char* what) {
  throw Error(fmt::format(
      "a function that the run asks cannot use {} from outside: it would go on from call to call", what));
}

// Remembers what the object on top holds and what can be reached from it; pops it. frozen: the table's index.
void freeze(lua_State* L, int frozen) {
  luaL_checkstack(L, 10, "values that hold each other");
  Sandbox::of(L).charge(L, 10);
  Sandbox::of(L).check_depth(L);
  const int object = lua_gettop(L), type = lua_type(L, object);
  if (type == LUA_TTHREAD) refuse_to_go_on("a coroutine");
  if (type == LUA_TFUNCTION && lua_iscfunction(L, object)) {
    for (int i = 1; lua_getupvalue(L, object, i); ++i) {
      if (lua_type(L, -1) == LUA_TTHREAD) refuse_to_go_on("a coroutine");
      // Of our functions, iterators count where they are.
      if (lua_type(L, -1) == LUA_TNUMBER) refuse_to_go_on("an iterator");
    }
    return lua_settop(L, object - 1);
  }
  lua_pushvalue(L, object);
  const bool seen = lua_rawget(L, frozen) != LUA_TNIL;
  if (seen || (type != LUA_TTABLE && type != LUA_TFUNCTION)) return lua_settop(L, object - 1);
  lua_newtable(L);
  const int copy = lua_gettop(L);
  lua_pushvalue(L, object);
  lua_pushvalue(L, copy);
  lua_rawset(L, frozen);
  const auto remember = [&] {  // key and value on top
    lua_pushvalue(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, copy);
    lua_pushvalue(L, -2);
    freeze(L, frozen);
    freeze(L, frozen);
  };
  if (type == LUA_TFUNCTION) {
    for (int i = 1; lua_getupvalue(L, object, i); ++i) {
      lua_pushinteger(L, i);
      lua_insert(L, -2);
      if (lua_isnil(L, -1)) push_absent(L), lua_replace(L, -2);
      remember();
      lua_settop(L, copy);
    }
  } else {
    if (lua_getmetatable(L, object)) freeze(L, frozen);
    for (lua_pushnil(L); lua_next(L, object);) remember();
  }
  lua_settop(L, object - 1);
}

[[noreturn]] void refuse_change(const std::string& what) {
  throw Error(
      fmt::format("changes {}: it is called again and again, and must depend on its arguments alone", what));
}

// Whether the function at `object` has the upvalues of its copy.
void check_function(lua_State* L, int object, int copy) {
  for (int i = 1; const char* name = lua_getupvalue(L, object, i); ++i) {
    if (lua_isnil(L, -1)) push_absent(L), lua_replace(L, -2);
    lua_rawgeti(L, copy, i);
    if (!same(L, -1, -2)) refuse_change(fmt::format("the variable '{}'", name));
    lua_pop(L, 2);
  }
}

void check_table(lua_State* L, int object, int copy) {
  int entries = 0, remembered = 0;
  for (lua_pushnil(L); lua_next(L, object); lua_pop(L, 1), ++entries) {
    lua_pushvalue(L, -2);
    lua_rawget(L, copy);
    const bool kept = same(L, -1, -2);
    lua_pop(L, 1);
    if (kept) continue;
    lua_pushvalue(L, -2);
    refuse_change(fmt::format("the entry '{}' of a table", luaL_tolstring(L, -1, nullptr)));
  }
  for (lua_pushnil(L); lua_next(L, copy); lua_pop(L, 1)) ++remembered;
  if (entries != remembered) refuse_change("a table");
}

void check_frozen(lua_State* L) {
  lua_getfield(L, LUA_REGISTRYINDEX, frozen_table);
  const int frozen = lua_gettop(L);
  for (lua_pushnil(L); lua_next(L, frozen); lua_pop(L, 1)) {
    const int copy = lua_gettop(L), object = copy - 1;
    Sandbox::of(L).charge(L, 10 + (lua_istable(L, object) ? (long long)lua_rawlen(L, object) : 0));
    lua_istable(L, object) ? check_table(L, object, copy) : check_function(L, object, copy);
  }
  lua_settop(L, frozen - 1);
}

// A function that a run asks, as it is asked: the owner is named in its errors.
struct Asked {
  std::shared_ptr<LoadedScript> script;
  int function;
  std::string owner;
  int results = 1;
};

// Whether what functions reach is to be looked at after this call: each time where it is little, and so often that it costs
// no more than some hundred entries a call where it is much, as a recorded motion is.
bool is_due(LoadedScript& script, lua_State* L) {
  if (script.frozen_entries == 0) {
    lua_getfield(L, LUA_REGISTRYINDEX, frozen_table);
    for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
      script.frozen_entries += 1 + size_t(lua_rawlen(L, -2));
    lua_pop(L, 1);
  }
  if (++script.calls_since_look * 256 < script.frozen_entries) return false;
  script.calls_since_look = 0;
  return true;
}

// Called with the arguments that push puts on the stack, as many as it says; what it puts below them stays there. read sees what
// is returned from an index on.
template <class Push, class Read>
void call(const Asked& asked, const Push& push, const Read& read) {
  LoadedScript& script = *asked.script;
  const std::lock_guard turn(script.mutex);
  script.box.renew_budget();
  script.box.run([&](lua_State* L) {
    const int arguments = push(L), first = lua_gettop(L) - arguments + 1;
    lua_rawgeti(L, LUA_REGISTRYINDEX, asked.function);
    lua_insert(L, first);
    lua_call(L, arguments, LUA_MULTRET);
    if (const int count = lua_gettop(L) - first + 1; count != asked.results)
      throw Error(fmt::format("{} returns {} value{}; {} needed", asked.owner, count, count == 1 ? "" : "s",
                              asked.results == 1 ? "one is" : "two are"));
    if (is_due(script, L)) try {
        check_frozen(L);
      } catch (const Error& error) {
        throw Error(fmt::format("{} {}", asked.owner, error.what()));
      }
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

// A number for one entry, else a list of as many.
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
  if (!wrench.has("moment") && !wrench.has("force")) wrench.fail("has neither moment nor force");
  const Vec3<double> zero{0, 0, 0};
  return {wrench.has("moment") ? wrench.vector("moment") : zero,
          wrench.has("force") ? wrench.vector("force") : zero};
}

namespace {

using Script = std::shared_ptr<LoadedScript>;

Asked of_time(const RunFunction& made, const Script& script) {
  return {script, made.function, fmt::format("{}: the function of time for '{}'", made.source, made.name)};
}

std::function<Wrench<double>(double)> wrench_of_time(const Asked& asked) {
  return [asked](double t) {
    Wrench<double> out;
    call_with_time(asked, t, [&](lua_State* L, int result) {
      out = read_wrench(TableReader(L, result, {asked.owner, "its result"}, {"moment", "force"}));
    });
    return out;
  };
}

Prescription prescription(const RunFunction& motion, const Script& script) {
  const Asked asked{script, motion.function,
                    fmt::format("{}: the prescribed motion of '{}'", motion.source, motion.name), 2};
  return {motion.index,
          [asked](double t, std::span<double> v, std::span<double> vdot) {
            call_with_time(asked, t, [&](lua_State* L, int result) {
              read_entries(L, result, {asked.owner, "its velocity"}, v);
              read_entries(L, result + 1, {asked.owner, "its acceleration"}, vdot);
            });
          },
          motion.source};
}

// The names of a robot's columns.
std::vector<std::string> columns_of(const Model& model, const Robot& robot) {
  const std::vector<std::string> names = model.column_names();
  return {names.begin() + robot.first_v, names.begin() + robot.first_v + robot.n_v};
}

// A number for one column, else a list of as many; what is wrong with one names it.
void read_torques(lua_State* L, int index, const Place& place, const std::vector<std::string>& columns,
                  std::span<double> out) {
  if (!lua_istable(L, index) || lua_rawlen(L, index) != out.size()) return read_entries(L, index, place, out);
  for (size_t k = 0; k < out.size(); ++k) {
    lua_rawgeti(L, index, lua_Integer(k) + 1);
    out[k] =
        number_at(L, lua_gettop(L), {place.owner, fmt::format("{}, joint '{}',", place.path, columns[k])});
    lua_pop(L, 1);
  }
}

// What a function of time says of where a robot, or its frame, is to be.
ReferenceLaw reference_of_time(const Asked& asked, bool of_frame, size_t n_q, size_t n_v) {
  ReferenceLaw out;
  out.of_frame = of_frame;
  out.make = [n_q, n_v] {
    Reference made;
    made.order = TORSOR_MAX_ORDER;
    made.q.resize(n_q);
    for (std::vector<double>* part : {&made.v, &made.vdot, &made.vddot, &made.vdddot}) part->resize(n_v);
    return made;
  };
  out.evaluate = [asked, of_frame](double t, Reference& reference) {
    call_with_time(asked, t, [&](lua_State* L, int result) {
      read_reference(L, result, {asked.owner, "its result"}, of_frame, reference);
    });
  };
  return out;
}

// The torques that a function gives, and what it makes of its memory, or the rates of that.
std::shared_ptr<const ControlLaw> law_of_function(const Asked& asked,
                                                  const std::optional<ReferenceLaw>& reference,
                                                  const std::vector<double>& memory, bool sampled,
                                                  const std::vector<std::string>& columns) {
  Asked law = asked;
  law.results = !sampled && !memory.empty() ? 2 : 1;
  const auto evaluate = [law, reference, memory, sampled, columns](const Measured& at, double,
                                                                   std::span<const double> x,
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
          if (reference)
            push_reference(L, wanted, reference->of_frame);
          else
            lua_pushnil(L);
          lua_pushvalue(L, list);
          return 4;
        },
        [&](lua_State* L, int result) {
          read_torques(L, result, {law.owner, "its result"}, columns, out.tau);
          if (law.results == 2) read_entries(L, result + 1, {law.owner, "its rates of memory"}, out.xdot);
          if (sampled && !memory.empty()) read_entries(L, list, {law.owner, "its memory"}, out.memory);
        });
  };
  if (sampled) return std::make_shared<FunctionLaw>(evaluate, 0, memory, reference);
  return std::make_shared<FunctionLaw>(evaluate, memory.size(), std::vector<double>(), reference);
}

Control control_of(const RunControl& made, const Script& script, const Model& model) {
  Control out = made.control;
  const Robot& robot = model.robots[size_t(out.robot)];
  const std::string owner = fmt::format("control '{}' of '{}'", out.name, robot.name);
  std::optional<ReferenceLaw> reference = made.reference;
  if (made.reference_function)
    reference = reference_of_time(
        {script, *made.reference_function, fmt::format("{}: the reference of {}", out.source, owner)},
        reference->of_frame, size_t(robot.n_q), size_t(robot.n_v));
  try {
    if (made.controller)
      out.law = std::make_shared<ControllerLaw>(made.controller, reference);
    else
      out.law = law_of_function({script, *made.law_function, fmt::format("{}: {}", out.source, owner)},
                                reference, made.memory, out.period > 0, columns_of(model, robot));
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}: {}", out.source, owner, error.what()));
  }
  return out;
}

// What a function of the state exerts.
ForceFunction force_of_function(const RunForce& made, const Script& script, const Model& model) {
  const std::string& robot = model.robots[size_t(made.force.robot)].name;
  const Asked asked{script, made.function, fmt::format("{}: force of robot '{}'", made.source, robot)};
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
          const TableReader given(L, result, {asked.owner, "its result"}, {"tau", "wrenches"});
          if (given.has("tau")) {
            lua_getfield(L, result, "tau");
            read_entries(L, lua_gettop(L), given.place().inside("tau"), answer.tau);
          }
          if (given.has("wrenches"))
            given.each("wrenches", [&](const std::string& frame, int value, const Place& place) {
              const auto known = std::find(names.begin(), names.end(), frame);
              if (known == names.end())
                place.fail(fmt::format("is of no frame of its list 'frames'{}", did_you_mean(frame, names)));
              answer.F_F_W[size_t(known - names.begin())] =
                  read_wrench(TableReader(L, value, place, {"moment", "force"}));
            });
        });
  };
  return out;
}

}  // namespace

Load with_functions(lua_State* L, const ExperimentObject& made, const std::shared_ptr<LoadedScript>& script) {
  Load load = made.experiment.load;
  luaL_getsubtable(L, LUA_REGISTRYINDEX, frozen_table);
  const int frozen = lua_gettop(L);
  const auto freeze_function = [&](const RunFunction& run) {
    try {
      lua_rawgeti(L, LUA_REGISTRYINDEX, run.function);
      freeze(L, frozen);
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
    load.controls.push_back(control_of(control, script, *made.experiment.model));
  }
  std::vector<std::pair<size_t, Asked>> torques;
  for (const RunFunction& torque : made.torques) {
    freeze_function(torque);
    torques.emplace_back(size_t(torque.index), of_time(torque, script));
  }
  if (!torques.empty())
    load.tau_of_time = [torques](double t, std::span<double> tau) {
      for (const auto& torque : torques)
        call_with_time(torque.second, t, [&](lua_State* now, int result) {
          tau[torque.first] += number_at(now, result, {torque.second.owner, "its result"});
        });
    };
  lua_settop(L, frozen - 1);
  return load;
}

}  // namespace torsor::lua
