// Implements arm:base_parameters, which computes the base inertial parameters of a robot.

#include "torsor/identification/base_parameters.hpp"

#include "torsor/base/memory.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/parameter_choice.hpp"

namespace torsor::lua {

namespace {

Included read_included(const TableReader& table, const char* key, Included otherwise) {
  if (!table.has(key)) return otherwise;
  return table.flag_or(key, false) ? Included::all : Included::none;
}

}  // namespace

ParameterChoice read_parameter_choice(const TableReader& table, ParameterChoice otherwise) {
  return {read_included(table, "rotor", otherwise.rotor),
          read_included(table, "friction", otherwise.friction)};
}

void push_texts(lua_State* L, const std::vector<std::string>& texts) {
  lua_createtable(L, int(texts.size()), 0);
  for (size_t k = 0; k < texts.size(); ++k) {
    push(L, texts[k]);
    lua_rawseti(L, -2, lua_Integer(k + 1));
  }
}

// Implements arm:base_parameters{ rotor =, friction =, gravity = }. gravity: {x, y, z} in world
// axes, m/s^2. The default is the gravity of the robot's world.
int robot_base_parameters(lua_State* L) {
  auto& robot = self<RobotObject>(L, robot_type, "arm:base_parameters{...}");
  if (lua_gettop(L) == 1) lua_newtable(L);
  const TableReader table(L, 2,
                          {fmt::format("base parameters of '{}'", robot.description.name), ""},
                          {"rotor", "friction", "gravity"});
  const ParameterChoice choice = read_parameter_choice(table, {Included::own, Included::none});
  const std::shared_ptr<const Model> model = own_model(L, robot);
  Vec3<double> gravity_W = State(model).gravity_W();
  if (robot.world) gravity_W = robot.world->gravity_W;
  if (table.has("gravity")) gravity_W = table.vector("gravity");
  // Maximum number of parameters: ten per link, plus a rotor inertia and two friction parameters
  // per dof.
  const double n_v = model->n_v, most = 10.0 * double(model->links.size()) + 3 * n_v,
               rows = 40 * n_v;
  const std::string what = fmt::format("the base parameters of {} degrees of freedom", model->n_v);
  // Estimated number of steps for orthogonalizing the columns.
  Sandbox::of(L).charge_work(L, what, most * most * n_v);
  // Memory in bytes of the observation matrix, its scaled copies and the factors of both
  // eliminations.
  const TemporaryMemory memory(what, (6 * rows * most + 4 * most * most) * sizeof(double));
  BaseParameters base;
  try {
    base = base_parameters(model, gravity_W, choice);
  } catch (const Error& error) {
    table.fail(error.what());
  }
  lua_newtable(L);
  const auto set = [&](const char* key) { lua_setfield(L, -2, key); };
  lua_pushinteger(L, lua_Integer(base.rank())), set("rank");
  push_texts(L, base.names), set("names");
  push_texts(L, units(base)), set("units");
  push_list(L, base.values), set("values");
  push_texts(L, relations(base)), set("relations");
  push_texts(L, without_effect(base)), set("without_effect");
  lua_pushnumber(L, base.condition), set("condition");
  return 1;
}

}  // namespace torsor::lua
