// Implements torsor.force: the ABI table of forces that call Lua functions.

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/sdk/ext/force.h"

namespace torsor::lua {

namespace {

// Reads a table { [body] = six numbers, .. } into F_B [6 n_body]. Bodies without a key are left
// unchanged.
void read_wrenches(lua_State* L, int index, const std::string& owner, int n_body, double* F_B) {
  if (!lua_istable(L, index))
    throw Error(fmt::format("{} is a {}; it must be a table whose keys are body numbers", owner,
                            luaL_typename(L, index)));
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
    const lua_Integer body = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (body < 1 || body >= n_body)
      throw Error(
          fmt::format("{} has a key that is not a body number; use 1 to {}", owner, n_body - 1));
    read_numbers(L, lua_gettop(L), fmt::format("{}[{}]", owner, body), {F_B + 6 * body, 6});
  }
}

torsor_status evaluate_force(const torsor_plugin* plugin, const torsor_model* model,
                             const torsor_state* state, const torsor_kinematics* kinematics,
                             const double* x, double*, torsor_force_out* out) {
  const LuaPlugin& self = LuaPlugin::of(plugin);
  return self.ask(
      "evaluate",
      [&](lua_State* L) {
        push_state(L, *model, *state);
        set_bodies(L, "X_WB", *model,
                   [&](int i) { push_pose_numbers(L, kinematics->X_WB + 12 * size_t(i)); });
        set_bodies(L, "V_WB", *model, [&](int i) {
          push_list(L, {kinematics->V_WB_B + 6 * size_t(i), 6});
        });
        push_list(L, {x, self.n_x()});
        return 2;
      },
      [&](lua_State* L, int results, const std::string& owner) -> torsor_status {
        const ResultTable result(L, results, owner,
                                 {"F_B", "tau", "xdot", "energy", "energy_rate"});
        if (result.has("F_B")) {
          lua_getfield(L, 1, "F_B");
          read_wrenches(L, lua_gettop(L), owner + ": F_B", model->n_body, out->F_B);
        }
        result.list("tau", {out->tau, size_t(model->n_v)});
        result.list("xdot", {out->xdot, self.n_x()});
        if (self.n_x() > 0 && !result.has("xdot"))
          throw Error(owner + " returns no xdot; add it to the returned table");
        if (result.has("energy") != result.has("energy_rate"))
          throw Error(owner +
                      " returns only one of energy and energy_rate; return both or neither");
        result.number("energy", out->energy);
        result.number("energy_rate", out->energy_rate);
        return TORSOR_OK;
      });
}

void read_force(const TableReader& table, PluginDefinition& out) {
  out.of_kind = table.flag_or("contact", false);
}
std::vector<LuaInterface> force_interfaces(const PluginDefinition& definition) {
  return {{TORSOR_FORCE, std::make_shared<torsor_force>(
                             torsor_force{.struct_size = sizeof(torsor_force),
                                          .is_contact = std::any_cast<bool>(definition.of_kind),
                                          .evaluate = evaluate_force})}};
}

}  // namespace

LuaKind force_kind() {
  return {.name = "force",
          .functions = {"prepare", "evaluate", "states"},
          .needed = {"evaluate"},
          .keys = {"contact"},
          .has_dynamics = false,
          .read = read_force,
          .interfaces = force_interfaces};
}

}  // namespace torsor::lua
