#include "torsor/scripting/plugins/lua_plugin.hpp"

#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

LuaPlugin::LuaPlugin(std::shared_ptr<LoadedScript> script, const PluginDefinition& definition,
                     const torsor_host* host)
    : script_(std::move(script)),
      definition_(definition),
      host_(host),
      values_(definition.parameters.size()),
      frames_(definition.parameters.size()),
      kind_(lua_kind(std::string_view(definition.id).substr(0, definition.id.find('.')))),
      interfaces_(kind_.interfaces(definition)) {
  plugin_.struct_size = sizeof plugin_;
  plugin_.self = this;
  plugin_.set_param = [](torsor_plugin* p, uint32_t index, const double* values, uint32_t count) {
    static_cast<LuaPlugin*>(p->self)->values_[index].assign(values, values + count);
    return torsor_status(TORSOR_OK);
  };
  plugin_.set_frames = [](torsor_plugin* p, uint32_t index, const torsor_frame* frames,
                          uint32_t count) {
    static_cast<LuaPlugin*>(p->self)->frames_[index].assign(frames, frames + count);
    return torsor_status(TORSOR_OK);
  };
  plugin_.prepare = [](torsor_plugin* p, const torsor_model* model, torsor_sizes* out) {
    return static_cast<LuaPlugin*>(p->self)->prepare(*model, *out);
  };
  plugin_.get_interface = [](const torsor_plugin* p, const char* id) { return of(p).table(id); };
  plugin_.destroy = [](torsor_plugin* p) { delete static_cast<LuaPlugin*>(p->self); };
}

LuaPlugin::~LuaPlugin() {
  const std::lock_guard turn(script_->mutex);
  lua_State* L = script_->box.state();
  end_service();
  luaL_unref(L, LUA_REGISTRYINDEX, model_);
  frozen_.release(L);
}

torsor_plugin* LuaPlugin::create(std::shared_ptr<LoadedScript> script,
                                 const PluginDefinition& definition, const torsor_host* host) {
  return &(new LuaPlugin(std::move(script), definition, host))->plugin_;
}

const void* LuaPlugin::table(std::string_view id) const {
  for (const LuaInterface& each : interfaces_)
    if (each.id == id) return each.table.get();
  return nullptr;
}

torsor_status LuaPlugin::report(torsor_status status, const char* function,
                                const std::string& owner, std::string_view what) const noexcept {
  const std::string text =
      what.starts_with(owner) ? std::string(what) : fmt::format("{} (in {})", what, function);
  host_->report(host_, status, text.c_str());
  return status;
}

torsor_status LuaPlugin::ask(const char* name, const Push& push, const Read& read) const noexcept {
  const PluginFunction& function = *definition_.function(name);
  torsor_status status = TORSOR_OK;
  try {
    script_->ask([&](lua_State* L) {
      lua_rawgeti(L, LUA_REGISTRYINDEX, function.key);
      lua_rawgeti(L, LUA_REGISTRYINDEX, model_);
      lua_call(L, 1 + push(L), LUA_MULTRET);
      const int results = lua_gettop(L);
      luaL_checkstack(L, 20, "results");
      frozen_.check(L, function.owner);
      status = read(L, results, function.owner);
    });
  } catch (const std::exception& error) {
    return report(TORSOR_INTERNAL, name, function.owner, error.what());
  }
  return status;
}

// Creates the model table, the first argument of every function of the definition. All calls
// receive the same table.
void LuaPlugin::make_model(lua_State* L, const torsor_model& model) {
  Sandbox::of(L).charge(L, 100LL * model.n_body);
  push_model(L, model);
  push_parameters(L, model);
  lua_setfield(L, -2, "params");
  if (kind_.has_dynamics) {
    const auto* dynamics =
        static_cast<const torsor_dynamics*>(host_->get_service(host_, TORSOR_HOST_DYNAMICS));
    if (!dynamics) throw Error(definition_.source + ": the host provides no dynamics");
    push_service(L, dynamics, model);
    lua_setfield(L, -2, "dynamics");
    push_drives(L, *dynamics, model);
    lua_setfield(L, -2, "drives");
  }
  luaL_unref(L, LUA_REGISTRYINDEX, model_);
  model_ = luaL_ref(L, LUA_REGISTRYINDEX);
}

void LuaPlugin::end_service() {
  lua_State* L = script_->box.state();
  if (lua_rawgeti(L, LUA_REGISTRYINDEX, model_) == LUA_TTABLE) {
    lua_pushliteral(L, "dynamics");
    lua_rawget(L, -2);
    lua::end_service(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

void LuaPlugin::freeze_functions(lua_State* L) {
  frozen_.release(L);
  for (const auto& [name, each] : definition_.functions) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, each.key);
    frozen_.add(L);
  }
}

// Calls the Lua function `prepare`, if defined, and stores its result in model.prepared. If
// `prepare` returns nil and a string, the plugin rejects the model and `rejection` is set to the
// string.
void LuaPlugin::call_prepare(lua_State* L, std::string& rejection) {
  const PluginFunction* function = definition_.function("prepare");
  if (!function) return;
  lua_rawgeti(L, LUA_REGISTRYINDEX, model_);
  const int model = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, function->key);
  lua_pushvalue(L, model);
  lua_call(L, 1, 2);
  if (lua_isnil(L, -2) && lua_type(L, -1) == LUA_TSTRING) {
    rejection = text(L, -1);
  } else if (!lua_isnil(L, -1)) {
    throw Error(function->owner +
                " returns two values; return one value to keep, or nil and a string with the "
                "reason why the model is not supported");
  }
  lua_pushvalue(L, -2);
  lua_setfield(L, model, "prepared");
  lua_settop(L, model - 1);
  frozen_.check(L, function->owner);
}

size_t LuaPlugin::count(lua_State* L, const char* name, size_t constant) const {
  const PluginFunction* function = definition_.function(name);
  if (!function) return constant;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function->key);
  lua_rawgeti(L, LUA_REGISTRYINDEX, model_);
  lua_call(L, 1, 1);
  if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 0)
    throw Error(fmt::format("{} returns {}; it must return a whole number", function->owner,
                            lua_type(L, -1) == LUA_TNUMBER
                                ? shown(lua_tonumber(L, -1))
                                : fmt::format("a {}", luaL_typename(L, -1))));
  const size_t out = size_t(lua_tointeger(L, -1));
  lua_pop(L, 1);
  return out;
}

torsor_status LuaPlugin::prepare(const torsor_model& model, torsor_sizes& out) noexcept {
  std::string rejection;
  try {
    script_->ask([&](lua_State* L) {
      end_service();
      make_model(L, model);
      freeze_functions(L);
      call_prepare(L, rejection);
      n_v_ = size_t(model.n_v);
      n_x_ = count(L, "states", definition_.n_x);
      n_memory_ = count(L, "memory", definition_.n_memory);
      lua_rawgeti(L, LUA_REGISTRYINDEX, model_);
      frozen_.add(L);
    });
  } catch (const std::exception& error) {
    const PluginFunction* function = definition_.function("prepare");
    return report(TORSOR_INTERNAL, "prepare", function ? function->owner : definition_.source,
                  error.what());
  }
  out.n_x = n_x_;
  out.n_memory = n_memory_;
  return rejection.empty() ? torsor_status(TORSOR_OK) : reject(rejection);
}

torsor_status LuaPlugin::reject(std::string_view reason) const {
  host_->report(host_, TORSOR_UNSUPPORTED, std::string(reason).c_str());
  return TORSOR_UNSUPPORTED;
}

void LuaPlugin::push_parameters(lua_State* L, const torsor_model& model) const {
  lua_createtable(L, 0, int(values_.size()));
  for (size_t row = 0; row < values_.size(); ++row) {
    push_parameter(L, model, row);
    lua_setfield(L, -2, definition_.parameters[row].name);
  }
}

namespace {

void push_frame(lua_State* L, const torsor_frame& frame) {
  lua_createtable(L, 0, 2);
  lua_pushinteger(L, frame.body);
  lua_setfield(L, -2, "body");
  push_pose_numbers(L, frame.X_BF);
  lua_setfield(L, -2, "pose");
}

// Pushes the points of a path as { { t, y }, .. }.
void push_path(lua_State* L, const std::vector<double>& x, size_t n_v) {
  lua_newtable(L);
  for (size_t first = 0; first < x.size(); first += 1 + n_v) {
    lua_createtable(L, 2, 0);
    lua_pushnumber(L, x[first]);
    lua_rawseti(L, -2, 1);
    push_list(L, std::span(x).subspan(first + 1, n_v));
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, lua_Integer(lua_rawlen(L, -2)) + 1);
  }
}

}  // namespace

// Pushes the value of a parameter in the form in which users write it: a number, a list, true or
// false, or a string. Pushes nil if the user gave no value.
void LuaPlugin::push_parameter(lua_State* L, const torsor_model& model, size_t row) const {
  const torsor_param& param = definition_.parameters[row];
  const std::vector<double>& x = values_[row];
  luaL_checkstack(L, 20, "parameters");
  if (param.type == TORSOR_FRAME) {
    if (param.count == 1) return push_frame(L, frames_[row].at(0));
    lua_newtable(L);
    for (const torsor_frame& frame : frames_[row]) {
      push_frame(L, frame);
      lua_rawseti(L, -2, lua_Integer(lua_rawlen(L, -2)) + 1);
    }
  } else if (x.empty() && (param.type > TORSOR_FRAME || param.count == 1)) {
    lua_pushnil(L);
  } else if (param.type == TORSOR_FLAG) {
    lua_pushboolean(L, x[0] != 0);
  } else if (param.type == TORSOR_CHOICE) {
    lua_pushstring(L, param.choices[size_t(x[0])]);
  } else if (param.type == TORSOR_PATH) {
    push_path(L, x, size_t(model.n_v));
  } else if (param.type == TORSOR_TABLE) {
    push_rows(L, x.data() + 1, int((double(x.size()) - 1) / x[0]), int(x[0]));
  } else if (param.type == TORSOR_POSE) {
    push_pose_numbers(L, x.data());
  } else if (param.type == TORSOR_POSES) {
    lua_createtable(L, int(x.size() / 12), 0);
    for (size_t k = 0; k < x.size() / 12; ++k) {
      push_pose_numbers(L, x.data() + 12 * k);
      lua_rawseti(L, -2, lua_Integer(k + 1));
    }
  } else if (param.type == TORSOR_INTEGER && param.count == 1) {
    lua_pushinteger(L, lua_Integer(x[0]));
  } else if (param.type == TORSOR_REAL && param.count == 1) {
    lua_pushnumber(L, x[0]);
  } else {
    push_list(L, x);
  }
}

}  // namespace torsor::lua
