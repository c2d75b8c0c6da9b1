#include "torsor/scripting/plugins/read_plugin.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/loading/descriptor.hpp"
#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/time_function.hpp"

namespace torsor::lua {

namespace {

std::vector<const char*> keys_of(const LuaKind& kind) {
  std::vector<const char*> out{"summary", "version", "family", "params"};
  out.insert(out.end(), kind.functions.begin(), kind.functions.end());
  out.insert(out.end(), kind.keys.begin(), kind.keys.end());
  return out;
}

void read_function(const TableReader& table, const char* name, PluginDefinition& out) {
  lua_State* L = table.state();
  lua_getfield(L, 2, name);
  if (lua_type(L, -1) != LUA_TFUNCTION)
    table.place().inside(name).fail(
        fmt::format("is a {}; it must be a function", luaL_typename(L, -1)));
  if (lua_iscfunction(L, -1))
    table.place().inside(name).fail("is a library function; it must be written in Lua");
  lua_Debug info;
  lua_pushvalue(L, -1);
  lua_getinfo(L, ">S", &info);
  out.functions[name] = {keep_function(L, lua_gettop(L)),
                         fmt::format("{}:{}: {}", info.source + 1, info.linedefined, name)};
  lua_pop(L, 1);
}

constexpr const char* parameter_types[] = {
    "real", "integer", "flag", "choice", "frame", "position",
    "path", "table",   "pose", "poses"};  // indexed by the parameter type, TORSOR_REAL first

int type_of_parameter(const TableReader& row) {
  if (!row.has("type")) {
    if (row.has("choices")) return TORSOR_CHOICE;
    return row.has("default") && row.is_flag("default") ? TORSOR_FLAG : TORSOR_REAL;
  }
  const std::string type = row.text("type");
  const auto* const found = std::find(std::begin(parameter_types), std::end(parameter_types), type);
  if (found == std::end(parameter_types))
    row.place().inside("type").fail(fmt::format(
        "is '{}'; use one of: real, integer, flag, choice, frame, position, path, table, pose, "
        "poses{}",
        type, did_you_mean(type, {std::begin(parameter_types), std::end(parameter_types)})));
  return int(found - std::begin(parameter_types));
}

// Returns the index of the default among the choices. Throws Error if the default is not a choice.
double default_choice(const TableReader& row, const PluginDefinition::Row& texts) {
  const std::string name = row.text("default");
  const auto found = std::find(texts.choices.begin(), texts.choices.end(), name);
  if (found == texts.choices.end())
    row.place().inside("default").fail(fmt::format("is '{}', which is not one of the choices{}",
                                                   name, did_you_mean(name, texts.choices)));
  return double(found - texts.choices.begin());
}

void read_parameter(const TableReader& row, const std::string& name, PluginDefinition& out) {
  PluginDefinition::Row& texts = *out.rows.emplace_back(std::make_unique<PluginDefinition::Row>());
  texts.name = name;
  texts.unit = row.text_or("unit", "");
  texts.help = row.text_or("help", "");
  torsor_param param{};
  param.struct_size = sizeof param;
  param.type = type_of_parameter(row);
  if (row.has("choices")) texts.choices = row.texts("choices");
  for (const std::string& choice : texts.choices) texts.choice_list.push_back(choice.c_str());
  texts.choice_list.push_back(nullptr);
  param.min = row.limit_or("min", -HUGE_VAL);
  param.max = row.limit_or("max", HUGE_VAL);
  const double count = row.number_or("count", 1);
  if (!(count >= 0 && count <= 1e6) || count != std::floor(count))
    row.place().inside("count").fail(
        fmt::format("is {}; it must be a whole number, 0 for any number of values", count));
  param.count = uint32_t(count);
  if (param.type == TORSOR_CHOICE) {
    param.min = 0;
    param.max = double(texts.choices.size()) - 1;
    param.choices = texts.choice_list.data();
    param.initial = default_choice(row, texts);
  } else if (param.type == TORSOR_FLAG) {
    param.min = 0;
    param.max = 1;
    param.initial = row.flag_or("default", false);
  } else if (param.type <= TORSOR_INTEGER && param.count > 0) {
    param.initial = row.number("default");
  } else if (row.has("default")) {
    row.place().inside("default").fail("has no effect for this type; remove it");
  } else if (param.type <= TORSOR_INTEGER) {
    param.initial = std::clamp(0.0, param.min, param.max);
  }
  param.name = texts.name.c_str();
  param.unit = texts.unit.c_str();
  param.help = texts.help.c_str();
  out.parameters.push_back(param);
}

void describe(PluginDefinition& out, const Place& place) {
  out.descriptor.struct_size = sizeof out.descriptor;
  out.descriptor.id = out.id.c_str();
  out.descriptor.version = out.version.c_str();
  out.descriptor.summary = out.summary.c_str();
  out.descriptor.family = out.family.c_str();
  out.descriptor.n_param = uint32_t(out.parameters.size());
  out.descriptor.param = out.parameters.data();
  out.descriptor.create = [](const torsor_host*) -> torsor_plugin* {
    return nullptr;
  };  // never called: PluginSource::create creates the objects
  if (const auto defect = descriptor_defect(&out.descriptor)) place.fail(*defect);
}

// Reads the entry `states` or `memory` as a constant number. Returns 0 if the entry is missing or
// is a function.
size_t read_count(const TableReader& table, const char* key, const PluginDefinition& out) {
  if (out.function(key) || !table.has(key)) return 0;
  const double count = table.number(key);
  if (!(count >= 0 && count <= 1e6) || count != std::floor(count))
    table.place().inside(key).fail(fmt::format("is {}; it must be a whole number", count));
  return size_t(count);
}

void read_functions(const TableReader& table, const LuaKind& kind, PluginDefinition& out) {
  lua_State* L = table.state();
  for (const char* name : kind.functions) {
    const std::string_view key = name;
    const bool is_number =
        (key == "states" || key == "memory") && lua_getfield(L, 2, name) == LUA_TNUMBER;
    if (table.has(name) && !is_number) read_function(table, name, out);
    lua_settop(L, 2);
  }
  for (const char* name : kind.needed)
    if (!out.function(name)) table.fail(fmt::format("has no function {}; define it", name));
}

}  // namespace

int word(const TableReader& table, const char* key, std::initializer_list<const char*> words) {
  if (!table.has(key)) return 0;
  const std::string given = table.text(key);
  int number = 0;
  std::string list;
  for (const char* each : words) {
    if (given == each) return number;
    list += (number++ ? ", " : "") + std::string(each);
  }
  table.place().inside(key).fail(fmt::format("is '{}'; use one of: {}", given, list));
}

std::unique_ptr<PluginDefinition> read_plugin(lua_State* L, const std::string& kind,
                                              const std::string& source) {
  if (lua_gettop(L) != 2 || lua_type(L, 1) != LUA_TSTRING || !lua_istable(L, 2))
    throw Error(fmt::format("torsor.{0} takes a name and a table that defines the {0}", kind));
  auto out = std::make_unique<PluginDefinition>();
  const std::string name = name_at(L, 1, {"torsor." + kind, "name"});
  const Place place{fmt::format("{} '{}'", kind, name), ""};
  const LuaKind& known = lua_kind(kind);
  const TableReader table(L, 2, place, keys_of(known));
  out->id = kind + "." + name;
  out->source = source;
  out->version = table.text_or("version", "1.0");
  out->summary = table.text_or("summary", fmt::format("a {} in Lua", kind));
  out->family = table.text_or("family", "");
  read_functions(table, known, *out);
  out->n_x = read_count(table, "states", *out);
  out->n_memory = read_count(table, "memory", *out);
  known.read(table, *out);
  if (table.has("params"))
    table.each("params", [&](const std::string& parameter, int value, const Place& at) {
      read_parameter(
          TableReader(L, value, at,
                      {"type", "default", "min", "max", "unit", "help", "count", "choices"}),
          parameter, *out);
    });
  describe(*out, place);
  return out;
}

}  // namespace torsor::lua
