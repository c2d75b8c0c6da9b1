#include "torsor/scripting/values/read_force.hpp"

#include <algorithm>

#include "torsor/base/memory.hpp"
#include "torsor/scripting/objects/scene.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/values/time_function.hpp"

namespace torsor::lua {

namespace {

FramePlace read_place(lua_State* L, int index, const Place& place) {
  if (lua_type(L, index) == LUA_TSTRING) return {name_at(L, index, place)};
  const TableReader table(L, index, place, {"frame", "origin"});
  return {table.text("frame"),
          table.has("origin") ? read_pose(table, "origin") : Pose<double>::identity()};
}

// Reads a list whose entries are all numbers, all frames, or all lists of numbers.
ParameterValue read_list(lua_State* L, int index, const Place& place) {
  std::vector<double> numbers;
  std::vector<FramePlace> places;
  Rows rows;
  for (lua_Integer i = 1; i <= lua_Integer(lua_rawlen(L, index)); ++i) {
    const Place entry{place.owner, fmt::format("{}[{}]", place.path, i)};
    Sandbox::of(L).charge_memory(L, sizeof(FramePlace));
    lua_rawgeti(L, index, i);
    if (lua_type(L, -1) == LUA_TNUMBER && places.empty() && rows.empty())
      numbers.push_back(number_at(L, lua_gettop(L), entry));
    else if (!numbers.empty())
      entry.fail("is not a number, unlike the entries before it");
    else if (lua_rawlen(L, -1) > 0 && lua_istable(L, -1) && places.empty())
      rows.push_back(numbers_at(L, lua_gettop(L), entry));
    else if (!rows.empty())
      entry.fail("is not a list of numbers, unlike the entries before it");
    else
      places.push_back(read_place(L, lua_gettop(L), entry));
    lua_settop(L, -2);
  }
  if (!rows.empty()) return rows;
  if (places.empty()) return numbers;
  return places;
}

// Removes the prefix "ROBOT." from a frame name if the model has only one robot.
void use_model_name(const Model& model, std::string& name) {
  const std::string prefix = model.robots.front().name + ".";
  if (model.robots.size() == 1 && name.starts_with(prefix)) name.erase(0, prefix.size());
}

}  // namespace

ParameterValue read_plain_value(lua_State* L, int index, const Place& place) {
  switch (lua_type(L, index)) {
    case LUA_TBOOLEAN:
      return bool(lua_toboolean(L, index));
    case LUA_TNUMBER:
      return number_at(L, index, place);
    case LUA_TSTRING:
      return name_at(L, index, place);
    case LUA_TTABLE:
      require_own_entries(L, index, place, "a list or a frame");
      if (sorted_keys(L, index).size() == lua_rawlen(L, index)) return read_list(L, index, place);
      return std::vector<FramePlace>{read_place(L, index, place)};
    default:
      place.fail(
          fmt::format("is a {}; it must be a number, a string, true or false, a list or a frame",
                      luaL_typename(L, index)));
  }
}

std::vector<Parameter> read_parameters(lua_State* L, int table, const std::string& owner,
                                       std::span<const char* const> others) {
  std::vector<Parameter> out;
  const int top = lua_gettop(L);
  require_plain(L, table, {owner, ""}, "parameters by their names");
  for (const Key& key : sorted_keys(L, table)) {
    const auto* name = std::get_if<std::string_view>(&key);
    if (!name)
      throw Error(
          fmt::format("{}: has the key {}; keys must be parameter names", owner, quoted(key)));
    if (std::find(others.begin(), others.end(), *name) != others.end()) continue;
    Sandbox::of(L).charge_memory(L, bytes_per_setting);
    push_key(L, key);
    lua_rawget(L, table);
    out.push_back(
        {std::string(*name), read_plain_value(L, lua_gettop(L), {owner, std::string(*name)})});
    lua_settop(L, top);
  }
  return out;
}

void use_model_names(const Model& model, std::vector<Parameter>& parameters) {
  for (Parameter& parameter : parameters)
    if (auto* places = std::get_if<std::vector<FramePlace>>(&parameter.value))
      for (FramePlace& place : *places) use_model_name(model, place.name);
    else if (auto* name = std::get_if<std::string>(&parameter.value))
      use_model_name(model, *name);
}

ForceRequest read_force(lua_State* L, const std::string& source) {
  if (lua_type(L, 2) != LUA_TSTRING || !lua_istable(L, 3))
    throw Error("world:force takes the name of a force plugin and a table of its parameters");
  const std::string id = name_at(L, 2, {"world:force", "name"});
  return {id, read_parameters(L, 3, fmt::format("force '{}'", id)), source};
}

ForceFunctionRequest read_force_function(lua_State* L, const std::string& robot,
                                         const std::string& source) {
  lua_settop(L, 3);
  if (lua_type(L, 2) != LUA_TFUNCTION)
    throw Error(
        "arm:force takes a function of t and state, and then a table of options; world:force takes "
        "plugins");
  complete_options(L, 3);
  const TableReader options(L, 3, {fmt::format("force of robot '{}'", robot), ""}, {"frames"});
  return {{keep_function(L, 2)},
          options.has("frames") ? options.texts("frames") : std::vector<std::string>(),
          source};
}

std::shared_ptr<const Force> make_force(const std::optional<Registry>& plugins,
                                        const std::shared_ptr<const Model>& model,
                                        const ForceRequest& request) {
  if (!plugins)
    throw Error(fmt::format(
        "{}: force '{}': plugins are not available where this scene is loaded; run it as a scene",
        request.source, request.id));
  std::vector<Parameter> parameters = request.parameters;
  use_model_names(*model, parameters);
  try {
    auto force = plugins->make<Force>(request.id, model, parameters);
    reserve_memory(fmt::format("the states of force '{}'", request.id),
                   bytes_per_state * double(force->n_x()));
    return force;
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", request.source, error.what()));
  }
}

}  // namespace torsor::lua
