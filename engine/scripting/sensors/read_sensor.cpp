#include "torsor/scripting/sensors/read_sensor.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor::lua {

namespace {

// Returns the keys of a kind of sensor, with those that every kind has.
std::vector<const char*> sensor_keys(SensorKind kind) {
  std::vector<const char*> out = {"name", "rate", "noise", "bias", "resolution", "delay", "seed"};
  const auto add = [&](std::initializer_list<const char*> keys) {
    out.insert(out.end(), keys.begin(), keys.end());
  };
  switch (kind) {
    case SensorKind::imu:
      add({"frame"});
      break;
    case SensorKind::joint_wrench:
      add({"joint", "frame"});
      break;
    case SensorKind::touch:
      add({"link", "threshold"});
      break;
    case SensorKind::contact_force:
      add({"link"});
      break;
  }
  return out;
}

SensorKind kind_at(lua_State* L, int index) {
  const std::string name = name_at(L, index, {"arm:sensor", "kind"});
  std::vector<std::string> names;
  for (const SensorKind kind : sensor_kinds) {
    names.emplace_back(traits(kind).name);
    if (names.back() == name) return kind;
  }
  throw Error(fmt::format("arm:sensor: there is no sensor '{}'; the sensors are {}{}", name,
                          fmt::join(names, ", "), did_you_mean(name, names)));
}

// Reads a vector of `out`'s size, or a number for all its entries.
void read_part(lua_State* L, int index, const Place& place, bool negative, std::span<double> out) {
  if (lua_istable(L, index) && out.size() > 1) {
    const std::vector<double> given = numbers_at(L, index, place, out.size());
    std::ranges::copy(given, out.begin());
  } else
    std::ranges::fill(out, number_at(L, index, place));
  for (const double value : out)
    if (!negative && value < 0) place.fail(fmt::format("is {:g}; it must not be negative", value));
}

// Reads an option that has a value for each value of the sensor. Returns [] without it.
std::vector<double> read_values(const TableReader& table, const char* key, SensorKind kind) {
  if (!table.has(key)) return {};
  lua_State* L = table.state();
  const SensorTraits& of = traits(kind);
  std::vector<double> out(of.values.size(), 0.0);
  const bool negative = std::string_view(key) == "bias";
  lua_getfield(L, 3, key);
  const int value = lua_gettop(L);
  const Place place = table.place().inside(key);
  if (of.parts.size() == 1) {
    read_part(L, value, place, negative, out);
    return out;
  }
  std::vector<const char*> names;
  for (const SensorPart& part : of.parts) names.push_back(part.name);
  if (!lua_istable(L, value))
    place.fail(fmt::format("is a {}; it must be a table of {}", luaL_typename(L, value),
                           fmt::join(names, " and ")));
  const TableReader parts(L, value, place, names);
  for (const SensorPart& part : of.parts)
    if (parts.has(part.name)) {
      lua_getfield(L, value, part.name);
      read_part(L, lua_gettop(L), place.inside(part.name), negative,
                std::span(out).subspan(part.first, part.count));
    }
  return out;
}

}  // namespace

uint64_t read_seed(const TableReader& table) {
  const double seed = table.number_or("seed", 0);
  if (!(seed >= 0 && seed < 9e15) || seed != std::floor(seed))
    table.place().inside("seed").fail(
        fmt::format("is {:g}; it must be a whole number of at least 0", seed));
  return uint64_t(seed);
}

double read_period(const TableReader& table) {
  const double rate = table.number_or("rate", 0);
  if (table.has("rate") && !(rate > 0))
    table.place().inside("rate").fail(fmt::format("is {:g} Hz; it must be positive", rate));
  return table.has("rate") ? 1 / rate : 0;
}

SensorRequest read_robot_sensor(lua_State* L, const std::string& robot, const std::string& source) {
  lua_settop(L, 3);
  if (lua_type(L, 2) != LUA_TSTRING || !lua_istable(L, 3))
    throw Error("arm:sensor takes the name of a sensor and a table of its options");
  SensorRequest out;
  RobotSensor& sensor = out.sensor;
  sensor.source = source;
  sensor.kind = kind_at(L, 2);
  sensor.name = traits(sensor.kind).name;
  TableReader table(L, 3, {fmt::format("sensor '{}' of robot '{}'", sensor.name, robot), ""},
                    sensor_keys(sensor.kind));
  sensor.name = table.text_or("name", sensor.name);
  if (sensor.name.empty() || sensor.name.find('.') != std::string::npos)
    table.place().inside("name").fail(fmt::format(
        "is '{}'; the name of a sensor must not be empty or contain dots", sensor.name));
  table.set_owner(fmt::format("sensor '{}' of robot '{}'", sensor.name, robot));
  switch (sensor.kind) {
    case SensorKind::imu:
      out.frame = table.text("frame");
      break;
    case SensorKind::joint_wrench:
      out.joint = table.text("joint");
      out.frame = table.text_or("frame", "");
      break;
    case SensorKind::touch:
      sensor.threshold = table.number_or("threshold", 0);
      if (sensor.threshold < 0)
        table.place()
            .inside("threshold")
            .fail(fmt::format("is {:g} N; it must not be negative", sensor.threshold));
      out.link = table.text("link");
      break;
    case SensorKind::contact_force:
      out.link = table.text("link");
      break;
  }
  sensor.noise = read_values(table, "noise", sensor.kind);
  sensor.bias = read_values(table, "bias", sensor.kind);
  sensor.resolution = read_values(table, "resolution", sensor.kind);
  sensor.period = read_period(table);
  sensor.delay = table.number_or("delay", 0);
  if (sensor.delay < 0)
    table.place().inside("delay").fail(
        fmt::format("is {:g} s; it must not be negative", sensor.delay));
  sensor.seed = read_seed(table);
  return out;
}

void push_sensor_values(lua_State* L, SensorKind kind, std::span<const double> values) {
  const SensorTraits& of = traits(kind);
  if (values.size() == 1) return lua_pushnumber(L, values[0]);
  if (of.parts.size() == 1) return push_list(L, values);
  lua_createtable(L, 0, int(of.parts.size()));
  for (const SensorPart& part : of.parts) {
    push_list(L, values.subspan(part.first, part.count));
    lua_setfield(L, -2, part.name);
  }
}

}  // namespace torsor::lua
