// Implements torsor.trajectory: the ABI table of trajectories that call Lua functions.

#include <algorithm>
#include <cmath>

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/sdk/ext/trajectory.h"

namespace torsor::lua {

namespace {

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
