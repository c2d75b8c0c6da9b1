// Implements torsor.force and torsor.trajectory: the ABI tables of plugins that call Lua functions.

#include <algorithm>
#include <cmath>

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/sdk/ext/force.h"
#include "torsor/sdk/ext/trajectory.h"

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

// Returns whether a definition of a trajectory moves a frame.
bool moves_frame(const PluginDefinition& definition) {
  return std::any_cast<bool>(definition.of_kind);
}

// Calls the Lua function `describe` and stores its result in out. out->breaks points into the
// plugin object.
torsor_status describe_motion(const torsor_plugin* plugin, torsor_motion* out) {
  const LuaPlugin& self = LuaPlugin::of(plugin);
  return self.ask(
      "describe", [](lua_State*) { return 0; },
      [&](lua_State* L, int results, const std::string& owner) -> torsor_status {
        const ResultTable result(L, results, owner, {"duration", "smoothness", "order", "breaks"});
        double smoothness = TORSOR_SMOOTH, order = 0;
        if (!result.has("duration") || !result.has("order"))
          throw Error(owner +
                      " must return duration and order, and may return smoothness and breaks");
        result.number("duration", out->duration);
        result.number("order", order);
        result.number("smoothness", smoothness);
        if (!(order >= 0 && order <= int(TORSOR_MAX_ORDER)) || order != std::floor(order))
          throw Error(fmt::format("{} returns the order {}; it must be a whole number up to {}",
                                  owner, shown(order), int(TORSOR_MAX_ORDER)));
        if (!(smoothness >= 0) || smoothness != std::floor(smoothness))
          throw Error(fmt::format("{} returns the smoothness {}; it must be a whole number", owner,
                                  shown(smoothness)));
        out->kind =
            moves_frame(self.definition()) ? TORSOR_MOTION_OF_FRAME : TORSOR_MOTION_OF_JOINTS;
        out->order = int32_t(order);
        out->smoothness = int32_t(std::min<double>(smoothness, TORSOR_SMOOTH));
        std::vector<double>& breaks = self.breaks();
        breaks.assign(result.length("breaks"), 0.0);
        result.list("breaks", breaks);
        out->n_break = uint32_t(breaks.size());
        out->breaks = breaks.data();
        return TORSOR_OK;
      });
}

// Reads the motion of a frame from the table at stack index 1. The table has the fields that a
// reference function returns.
void read_frame_motion(lua_State* L, const std::string& owner, int order, double* out) {
  Reference motion;
  read_reference(L, 1, {owner, "its result"}, true, motion);
  std::copy_n(motion.X_WF.R.m, 9, out);
  std::copy_n(&motion.X_WF.p.x, 3, out + 9);
  for (int k = 0; k < order; ++k) {
    std::copy_n(&motion.V[size_t(k)].w.x, 3, out + 12 + 6 * k);
    std::copy_n(&motion.V[size_t(k)].v.x, 3, out + 15 + 6 * k);
  }
}

torsor_status evaluate_motion(const torsor_plugin* plugin, double t, int32_t order, double*,
                              double* out) {
  const LuaPlugin& self = LuaPlugin::of(plugin);
  return self.ask(
      "evaluate",
      [&](lua_State* L) {
        lua_pushnumber(L, t);
        lua_pushinteger(L, order);
        return 2;
      },
      [&](lua_State* L, int results, const std::string& owner) -> torsor_status {
        if (results != 1)
          throw Error(fmt::format("{} returns {} values; it must return one", owner, results));
        if (moves_frame(self.definition())) {
          read_frame_motion(L, owner, order, out);
          return TORSOR_OK;
        }
        const size_t rows = size_t(order) + 1, n_v = self.n_v();
        if (!lua_istable(L, 1) || lua_rawlen(L, 1) < rows)
          throw Error(fmt::format(
              "{} must return a list of {} lists: positions and their derivatives up to order {}",
              owner, rows, order));
        for (size_t k = 0; k < rows; ++k) {
          lua_rawgeti(L, 1, lua_Integer(k) + 1);
          read_numbers(L, 2, fmt::format("{}, in derivative {},", owner, k), {out + k * n_v, n_v});
          lua_settop(L, 1);
        }
        check_keys(L, 1, owner, "a list of lists");
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

void read_trajectory(const TableReader& table, PluginDefinition& out) {
  out.of_kind = word(table, "moves", {"joints", "frame"}) == 1;
}
std::vector<LuaInterface> trajectory_interfaces(const PluginDefinition&) {
  return {{TORSOR_TRAJECTORY, std::make_shared<torsor_trajectory>(
                                  torsor_trajectory{.struct_size = sizeof(torsor_trajectory),
                                                    .describe = describe_motion,
                                                    .evaluate = evaluate_motion})}};
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

LuaKind trajectory_kind() {
  return {.name = "trajectory",
          .functions = {"prepare", "describe", "evaluate"},
          .needed = {"describe", "evaluate"},
          .keys = {"moves"},
          .has_dynamics = false,
          .read = read_trajectory,
          .interfaces = trajectory_interfaces};
}

}  // namespace torsor::lua
