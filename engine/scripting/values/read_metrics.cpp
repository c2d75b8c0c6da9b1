#include "torsor/scripting/values/read_metrics.hpp"

#include <algorithm>
#include <unordered_set>

#include "torsor/base/memory.hpp"

namespace torsor::lua {

std::optional<MetricsOptions> read_metrics(const TableReader& table) {
  if (!table.has("metrics")) return std::nullopt;
  MetricsOptions out;
  if (table.is_flag("metrics"))
    return table.flag_or("metrics", false) ? std::optional(out) : std::nullopt;
  const TableReader options =
      table.table("metrics", {"from", "settling_band", "settling_error", "joints"});
  if (options.has("settling_band") && options.has("settling_error"))
    options.fail(
        "has both settling_band (fraction of the travel) and settling_error (rad or m); give only "
        "one of them");
  out.from = options.number_or("from", 0);
  if (!(out.from >= 0))
    options.place().inside("from").fail(
        fmt::format("is {} s; it must not be negative", shown(out.from)));
  for (const char* key : {"settling_band", "settling_error"})
    if (options.has(key) && !(options.number(key) > 0))
      options.place().inside(key).fail(
          fmt::format("is {}; it must be positive", shown(options.number(key))));
  out.settling_band = options.number_or("settling_band", out.settling_band);
  if (options.has("settling_error")) out.settling_error = options.number("settling_error");
  if (options.has("joints")) out.joints = options.texts("joints");
  return out;
}

namespace {

// Returns a parameter value as a string. Throws Error if its type differs from the type of the
// parameter's default.
std::string read_variant(lua_State* L, int value, const Place& place,
                         const SceneParameter& parameter) {
  if (std::holds_alternative<double>(parameter)) return shown(number_at(L, value, place));
  if (std::holds_alternative<bool>(parameter) && lua_isboolean(L, value))
    return lua_toboolean(L, value) ? "true" : "false";
  if (std::holds_alternative<std::string>(parameter) && lua_type(L, value) == LUA_TSTRING)
    return name_at(L, value, place);
  place.fail(fmt::format("is a {}; it must have the type of the parameter's default",
                         luaL_typename(L, value)));
}

}  // namespace

// Memory in bytes of one variant: its string and its entry in `seen`.
static constexpr double bytes_per_variant = 100;

std::vector<Variation> read_variants(const TableReader& table, const SceneContext& scene) {
  std::vector<Variation> out;
  if (!table.has("variants")) return out;
  std::vector<std::string> names;
  for (const auto& [name, value] : scene.parameters) names.push_back(name);
  table.each("variants", [&](const std::string& name, int values, const Place& place) {
    const auto parameter = scene.parameters.find(name);
    if (parameter == scene.parameters.end())
      place.fail(
          fmt::format("is not a parameter of torsor.params{{...}}{}", did_you_mean(name, names)));
    lua_State* L = table.state();
    if (lua_istable(L, values)) require_own_entries(L, values, place, "a list of values");
    if (!lua_istable(L, values) || lua_rawlen(L, values) == 0)
      place.fail("is not a list of values; write for example { law = { \"pid\", \"adaptive\" } }");
    Variation& made = out.emplace_back(Variation{name, {}});
    // Avoid reallocation, because `seen` contains views of these strings.
    made.values.reserve(lua_rawlen(L, values));
    std::unordered_set<std::string_view> seen;
    reserve_memory("variants of " + name, bytes_per_variant * double(lua_rawlen(L, values)));
    Sandbox::of(L).charge(L, 10 * (long long)lua_rawlen(L, values));
    for (lua_Unsigned k = 1; k <= lua_rawlen(L, values); ++k) {
      lua_rawgeti(L, values, lua_Integer(k));
      const Place of_value{place.owner, fmt::format("{}[{}]", place.path, k)};
      std::string& value =
          made.values.emplace_back(read_variant(L, lua_gettop(L), of_value, parameter->second));
      if (!seen.insert(value).second)
        of_value.fail(fmt::format("repeats the value {}; list it once", value));
      lua_pop(L, 1);
    }
  });
  return out;
}

}  // namespace torsor::lua
