// Implements torsor.params and torsor.options, which declare named values with defaults. The user
// can override the values, for example with --set.

#include <algorithm>
#include <charconv>
#include <cmath>

#include "torsor/base/text.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"

namespace torsor::lua {

namespace {

constexpr const char* overrides_key = "torsor.overrides";

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "none" : out;
}

[[noreturn]] void unknown(const char* what, const std::string& name,
                          const std::vector<std::string>& names) {
  throw Error(fmt::format("unknown {} '{}'; use one of: {}{}", what, name, joined(names),
                          did_you_mean(name, names)));
}

// Pushes `given`, converted to the type of the default value at a stack index.
void push_converted(lua_State* L, const std::string& name, const std::string& given, int index) {
  const char *begin = given.data(), *end = begin + given.size();
  switch (lua_type(L, index)) {
    case LUA_TSTRING:
      push(L, given);
      return;
    case LUA_TBOOLEAN:
      if (given != "true" && given != "false")
        throw Error(fmt::format("'{}' is '{}'; it must be true or false", name, given));
      lua_pushboolean(L, given == "true");
      return;
    default:
      break;
  }
  double real = 0;
  long long integer = 0;
  const auto parsed = [&](auto& value) {
    const auto result = std::from_chars(begin, end, value);
    return result.ec == std::errc() && result.ptr == end;
  };
  if (lua_isinteger(L, index) && parsed(integer))
    lua_pushinteger(L, integer);
  else if (parsed(real) && std::isfinite(real))
    lua_pushnumber(L, real);
  else
    throw Error(fmt::format("'{}' is '{}'; it must be a finite number", name, given));
}

void check_default(lua_State* L, const std::string& name, int index) {
  if (lua_isstring(L, index) || lua_isboolean(L, index)) {
    if (lua_type(L, index) != LUA_TNUMBER || std::isfinite(lua_tonumber(L, index))) return;
    throw Error(fmt::format("the default of '{}' is not finite; give a finite number", name));
  }
  throw Error(
      fmt::format("the default of '{}' is a {}; it must be a number, a string, true, false or a "
                  "distribution such as torsor.normal(2, 0.3)",
                  name, luaL_typename(L, index)));
}

std::string name_of(const Key& key) {
  const auto* name = std::get_if<std::string_view>(&key);
  if (name && name->find('\0') != name->npos)
    throw Error(fmt::format("the parameter name {} has a zero byte; remove it", quoted(key)));
  if (name) return std::string(*name);
  throw Error(fmt::format("{} is not a parameter name; write {{ payload = 2.0 }}", quoted(key)));
}

std::vector<std::string> names_of(lua_State* L, int index) {
  std::vector<std::string> names;
  for (const Key& key : sorted_keys(L, index)) names.push_back(name_of(key));
  return names;
}

SceneParameter value_at(lua_State* L, int index) {
  if (lua_type(L, index) == LUA_TNUMBER) return lua_tonumber(L, index);
  if (lua_isboolean(L, index)) return bool(lua_toboolean(L, index));
  return std::string(text(L, index));
}

// Replaces a distribution on top of the stack by its nominal value. Returns the parameter as a
// study sees it: without a distribution if the value is overridden.
StudyParameter take_distribution(lua_State* L, const std::string& name, bool is_overridden) {
  StudyParameter out{.name = name, .unit = "", .distribution = nullptr, .nominal = {}};
  const auto* object = static_cast<DistributionObject*>(object_at(L, -1, distribution_type));
  if (!object) return out;
  const DistributionPtr distribution = distribution_of(*object, name);
  out.unit = object->unit;
  push_nominal(L, *object, *distribution);
  lua_replace(L, -2);
  if (!is_overridden) out.distribution = distribution;
  return out;
}

// Throws Error if the value of an overridden choice between strings is none of them.
void require_label(lua_State* L, const std::string& name, const std::string& given) {
  const auto* object = static_cast<DistributionObject*>(object_at(L, -1, distribution_type));
  if (!object || object->of_flags) return;
  const DistributionPtr distribution = distribution_of(*object, name);
  const std::vector<std::string>& labels = distribution->labels();
  if (labels.empty() || std::ranges::count(labels, given) > 0) return;
  throw Error(fmt::format("'{}' is '{}'; use one of: {}{}", name, quotable(given), joined(labels),
                          did_you_mean(given, labels)));
}

// Implements torsor.params{ name = default, ... }. Returns a table of the values. A default is a
// number, a string, true, false or a distribution. A scene may call it only once.
int params(lua_State* L) {
  SceneContext& scene = scene_of(L);
  if (!lua_istable(L, 1))
    throw Error(
        "torsor.params takes a table of names and defaults, as in torsor.params{ payload = 2.0 }");
  require_plain(L, 1, {"torsor.params", ""}, "names and defaults");
  if (scene.has_parameters)
    throw Error("torsor.params is called twice; declare all parameters in one call");
  scene.has_parameters = scene.overrides_taken = true;
  const std::vector<std::string> names = names_of(L, 1);
  for (const auto& [name, value] : scene.overrides)
    if (std::find(names.begin(), names.end(), name) == names.end())
      unknown("parameter", name, names);
  lua_newtable(L);
  for (const std::string& name : names) {
    lua_getfield(L, 1, name.c_str());
    const auto given = scene.overrides.find(name);
    if (given != scene.overrides.end()) require_label(L, name, given->second);
    scene.study_parameters.push_back(take_distribution(L, name, given != scene.overrides.end()));
    check_default(L, name, -1);
    if (given != scene.overrides.end()) {
      push_converted(L, name, given->second, lua_gettop(L));
      lua_replace(L, -2);
    }
    scene.parameters[name] = scene.study_parameters.back().nominal = value_at(L, -1);
    lua_setfield(L, -2, name.c_str());
  }
  make_strict(L, "params");
  return 1;
}

// Pushes a list of n entries. Each entry equals the number at stack index `number`.
void push_repeated(lua_State* L, int number, lua_Unsigned n) {
  lua_createtable(L, int(n), 0);
  for (lua_Unsigned i = 1; i <= n; ++i) {
    lua_pushvalue(L, number);
    lua_rawseti(L, -2, lua_Integer(i));
  }
}

void check_list(lua_State* L, const std::string& name, int given, lua_Unsigned n) {
  require_own_entries(L, given, {"", fmt::format("option '{}'", name)}, "a list of numbers");
  const lua_Unsigned length = lua_rawlen(L, given);
  if (length != n || sorted_keys(L, given).size() != n)
    throw Error(
        fmt::format("option '{}' must be a list of {} numbers, or one number for all", name, n));
  for (lua_Unsigned i = 1; i <= n; ++i) {
    lua_rawgeti(L, given, lua_Integer(i));
    if (lua_type(L, -1) != LUA_TNUMBER || !std::isfinite(lua_tonumber(L, -1)))
      throw Error(fmt::format("option '{}' has no finite number at [{}]; give one", name, i));
    lua_pop(L, 1);
  }
}

// Pushes the value of an option. given: stack index of the value that the caller has set. standard:
// stack index of the default value, which determines the type.
void push_option(lua_State* L, const std::string& name, int given, int standard, bool as_text) {
  const bool list = lua_istable(L, standard);
  if (as_text) {
    // Convert the string to a number, which then sets every entry of the list.
    if (list) lua_pushnumber(L, 0);
    push_converted(L, name, std::string(text(L, given)), list ? lua_gettop(L) : standard);
    lua_replace(L, given);
  }
  const bool number = lua_type(L, given) == LUA_TNUMBER;
  if (number && !std::isfinite(lua_tonumber(L, given)))
    throw Error(fmt::format("option '{}' is {}; it must be a finite number", name,
                            shown(lua_tonumber(L, given))));
  if (list && number) return push_repeated(L, given, lua_rawlen(L, standard));
  if (lua_type(L, given) != lua_type(L, standard))
    throw Error(fmt::format("option '{}' is a {}; it must be a {}", name, luaL_typename(L, given),
                            list ? "list of numbers" : luaL_typename(L, standard)));
  if (list) check_list(L, name, given, lua_rawlen(L, standard));
  lua_pushvalue(L, given);
}

int fill_options(lua_State* L) {
  const std::vector<std::string> names = names_of(L, 2);
  lua_getfield(L, LUA_REGISTRYINDEX, overrides_key);
  const bool as_text = lua_istable(L, 1) && lua_rawequal(L, 1, -1);
  if (as_text) scene_of(L).overrides_taken = true;
  if (lua_istable(L, 1)) {
    if (lua_getmetatable(L, 1))
      throw Error("the options are a table with a metatable; use a plain table");
    for (const std::string& name : names_of(L, 1))
      if (std::find(names.begin(), names.end(), name) == names.end())
        unknown("option", name, names);
  }
  lua_newtable(L);
  const int out = lua_gettop(L);
  for (const std::string& name : names) {
    lua_getfield(L, 2, name.c_str());
    if (lua_istable(L, 1) && lua_getfield(L, 1, name.c_str()) != LUA_TNIL)
      push_option(L, name, out + 2, out + 1, as_text);
    else
      lua_pushvalue(L, out + 1);
    lua_setfield(L, out, name.c_str());
    lua_settop(L, out);
  }
  make_strict(L, "options");
  return 1;
}

// Implements torsor.options(options, defaults), which a function calls to read its table of
// options. Returns a copy of `defaults` in which the given options replace the default values. A
// default is a number, a string, true, false, or a list of numbers. A single number sets every
// entry of a list. An error message names the line that called the calling function, because its
// options are wrong.
int options(lua_State* L) {
  lua_settop(L, 2);
  if (!lua_isnil(L, 1) && !lua_istable(L, 1))
    throw Error(Sandbox::of(L).located(
        L, fmt::format("the options must be a table, not a {}", luaL_typename(L, 1)), 2));
  if (!lua_istable(L, 2))
    throw Error("torsor.options takes the options and a table of their defaults");
  require_plain(L, 2, {"torsor.options", "the table of defaults"}, "names and defaults");
  try {
    return fill_options(L);
  } catch (const Error& error) {
    throw Error(Sandbox::of(L).located(L, error.what(), 2));
  }
}

}  // namespace

void add_parameter_functions(lua_State* L) {
  constexpr Function functions[] = {{"params", guarded<params>}, {"options", guarded<options>}};
  add_functions(L, functions);
}

void push_overrides(lua_State* L) {
  lua_newtable(L);
  for (const auto& [name, value] : scene_of(L).overrides) {
    push(L, value);
    lua_setfield(L, -2, name.c_str());
  }
  lua_pushvalue(L, -1);
  lua_setfield(L, LUA_REGISTRYINDEX, overrides_key);
}

}  // namespace torsor::lua
