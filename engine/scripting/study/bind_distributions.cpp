// Implements the distributions of parameters: torsor.normal, uniform, log_uniform, integer, choice
// and rows.

#include <cmath>
#include <limits>

#include "torsor/scripting/sandbox/access.hpp"
#include "torsor/scripting/sandbox/sorted_keys.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"

namespace torsor::lua {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

int push_distribution(lua_State* L, DistributionObject object) {
  SceneContext& scene = scene_of(L);
  Sandbox::of(L).charge_memory(L, sizeof object);
  scene.distributions.push_back(std::make_unique<DistributionObject>(std::move(object)));
  push_handle(L, scene.distributions.back().get(), distribution_type);
  return 1;
}

// Adds the name of the call to the message of an Error.
template <class Make>
DistributionPtr made_by(const char* call, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", call, error.what()));
  }
}

double argument(lua_State* L, int index, const char* call, const char* what) {
  if (lua_type(L, index) == LUA_TNUMBER) return lua_tonumber(L, index);
  throw Error(
      fmt::format("{}: {} is a {}; it must be a number", call, what, luaL_typename(L, index)));
}

// Implements torsor.normal(mean, deviation, { min =, max =, unit = }).
int bind_normal(lua_State* L) {
  constexpr const char* call = "torsor.normal";
  const double mean = argument(L, 1, call, "the mean"),
               deviation = argument(L, 2, call, "the deviation");
  complete_options(L, 3);
  const TableReader options(L, 3, {call, ""}, {"min", "max", "unit"});
  const double min = options.has("min") ? options.number("min") : -infinity,
               max = options.has("max") ? options.number("max") : infinity;
  return push_distribution(
      L, {.distribution = made_by(call, [&] { return normal(mean, deviation, min, max); }),
          .unit = options.text_or("unit", "")});
}

// Implements torsor.uniform(from, to, { unit = }) and torsor.log_uniform.
template <DistributionPtr (*make)(double, double)>
int bind_range(lua_State* L, const char* call) {
  const double from = argument(L, 1, call, "the first limit"),
               to = argument(L, 2, call, "the second limit");
  complete_options(L, 3);
  const TableReader options(L, 3, {call, ""}, {"unit"});
  return push_distribution(L, {.distribution = made_by(call, [&] { return make(from, to); }),
                               .unit = options.text_or("unit", "")});
}
int bind_uniform(lua_State* L) {
  return bind_range<uniform>(L, "torsor.uniform");
}
int bind_log_uniform(lua_State* L) {
  return bind_range<log_uniform>(L, "torsor.log_uniform");
}

// Implements torsor.integer(from, to, { unit = }).
int bind_integer(lua_State* L) {
  constexpr const char* call = "torsor.integer";
  long long limits[2];
  for (int k = 0; k < 2; ++k) {
    int is_integer = 0;
    limits[k] = lua_tointegerx(L, k + 1, &is_integer);
    if (!is_integer || lua_type(L, k + 1) != LUA_TNUMBER)
      throw Error(
          fmt::format("{}: a limit is not an integer; write for example {}(1, 6)", call, call));
  }
  complete_options(L, 3);
  const TableReader options(L, 3, {call, ""}, {"unit"});
  return push_distribution(
      L, {.distribution = made_by(call, [&] { return integer(limits[0], limits[1]); }),
          .unit = options.text_or("unit", ""),
          .of_integers = true});
}

SceneParameter choice_value(lua_State* L, int index, const Place& place) {
  if (lua_type(L, index) == LUA_TNUMBER) return lua_tonumber(L, index);
  if (lua_isboolean(L, index)) return bool(lua_toboolean(L, index));
  if (lua_type(L, index) == LUA_TSTRING) return name_at(L, index, place);
  place.fail(fmt::format("is a {}; a value is a number, a string, true or false",
                         luaL_typename(L, index)));
}

// Implements torsor.choice{ value, value, .., unit = }.
int bind_choice(lua_State* L) {
  constexpr const char* call = "torsor.choice";
  if (!lua_istable(L, 1))
    throw Error(
        R"(torsor.choice takes a list of values, as in torsor.choice{ "pid", "adaptive" })");
  const int count = int(std::min<lua_Unsigned>(lua_rawlen(L, 1), 1'000'000));
  const TableReader options(L, 1, {call, ""}, {"unit"}, count);
  DistributionObject out{.unit = options.text_or("unit", ""), .of_integers = true};
  Sandbox::of(L).charge(L, 20ll * count);
  Sandbox::of(L).charge_memory(L, size_t(count) * 4 * sizeof(SceneParameter));
  std::vector<SceneParameter> values;
  for (int k = 1; k <= count; ++k) {
    lua_rawgeti(L, 1, k);
    out.of_integers = out.of_integers && lua_isinteger(L, -1);
    values.push_back(choice_value(L, lua_gettop(L), {call, fmt::format("[{}]", k)}));
    lua_pop(L, 1);
  }
  out.of_flags = !values.empty() && std::holds_alternative<bool>(values[0]);
  out.distribution = made_by(call, [&] { return choice(values); });
  return push_distribution(L, std::move(out));
}

// Implements torsor.rows("table.csv", { column =, unit = }).
int bind_rows(lua_State* L) {
  constexpr const char* call = "torsor.rows";
  DistributionObject out;
  out.table_name = name_at(L, 1, {call, "the table"});
  complete_options(L, 2);
  const TableReader options(L, 2, {call, ""}, {"column", "unit"});
  out.column = options.text_or("column", "");
  out.unit = options.text_or("unit", "");
  const std::filesystem::path file = named_file(L, out.table_name);
  require_readable_by_script(L, file, call);
  Sandbox::of(L).note_file(L, file);
  auto table = std::make_shared<TextTable>(read_text_table(file, out.table_name));
  Sandbox::of(L).charge(L, (long long)(10 * table->rows * table->columns.size()));
  out.table = std::move(table);
  return push_distribution(L, std::move(out));
}

}  // namespace

DistributionPtr distribution_of(const DistributionObject& object, const std::string& parameter) {
  if (object.distribution) return object.distribution;
  const std::string column = object.column.empty() ? parameter : object.column;
  return rows(object.table_name, column,
              column_of(*object.table, column, object.table_name).values);
}

void push_nominal(lua_State* L, const DistributionObject& object,
                  const Distribution& distribution) {
  const double value = distribution.nominal();
  const std::vector<std::string>& labels = distribution.labels();
  if (labels.empty() && object.of_integers)
    lua_pushinteger(L, lua_Integer(value));
  else if (labels.empty())
    lua_pushnumber(L, value);
  else if (object.of_flags)
    lua_pushboolean(L, labels[size_t(value)] == "true");
  else
    push(L, labels[size_t(value)]);
}

void add_distribution_functions(lua_State* L) {
  make_type(L, distribution_type, {});
  constexpr Function functions[] = {
      {"normal", guarded<bind_normal>},           {"uniform", guarded<bind_uniform>},
      {"log_uniform", guarded<bind_log_uniform>}, {"integer", guarded<bind_integer>},
      {"choice", guarded<bind_choice>},           {"rows", guarded<bind_rows>}};
  add_functions(L, functions);
}

}  // namespace torsor::lua
