// Implements torsor.solver: the ABI tables of a solver that call Lua functions.

#include <algorithm>
#include <cmath>
#include <utility>

#include "torsor/handles/quantity.hpp"
#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/sdk/ext/solver.h"
#include "torsor/sdk/ext/solver_partials.h"
#include "torsor/sdk/ext/solver_rates.h"

namespace torsor::lua {

namespace {

struct SolverResult {
  double* out;
  int indices;  // number of tensor indices, each from 0 to n_v - 1
};

// Converts the results of a Lua function into a status.
// - First result not nil: returns TORSOR_OK.
// - nil and a body number: M is singular at the joint of this body.
// - nil and a string: the solver rejects the call for this reason.
torsor_status rejection(lua_State* L, int results, const std::string& owner,
                        const torsor_model& model, const LuaPlugin& self) {
  if (results != 2 || !lua_isnil(L, 1)) return TORSOR_OK;
  if (lua_type(L, 2) == LUA_TSTRING) return self.reject(text(L, 2));
  if (lua_type(L, 2) != LUA_TNUMBER)
    throw Error(
        fmt::format("{} returns nil and a {}; return nil and a body number, or nil and a string "
                    "with the reason",
                    owner, luaL_typename(L, 2)));
  const lua_Integer body = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : 0;
  if (body < 1 || body >= model.n_body)
    throw Error(fmt::format("{} returns nil and {}, which is not a body number; use 1 to {}", owner,
                            shown(lua_tonumber(L, 2)), model.n_body - 1));
  return TORSOR_STATUS(TORSOR_SINGULAR, int(body));
}

// Returns the body whose joint has the dof `column` (counted from 0).
int body_of_column(const torsor_model& model, int column) {
  int body = 1;
  while (column < model.v_index[body] || column >= model.v_index[body] + model.v_count[body])
    ++body;
  return body;
}

// Throws Error if an entry of the result is not finite. Then also sets `blamed` to the body whose
// joint has the dof of this entry.
void check_finite(const torsor_model& model, const SolverResult& result, const std::string& owner,
                  int& blamed) {
  size_t size = 1;
  for (int k = 0; k < result.indices; ++k) size *= size_t(model.n_v);
  const double* bad =
      std::find_if_not(result.out, result.out + size, [](double x) { return std::isfinite(x); });
  if (bad == result.out + size) return;
  const int column = int(bad - result.out) % model.n_v;
  blamed = body_of_column(model, column);
  throw Error(fmt::format("{} returns {} for degree of freedom {}; return finite numbers", owner,
                          shown(*bad), column + 1));
}

torsor_status solve(const torsor_plugin* plugin, const char* function, const torsor_model* model,
                    const torsor_state* state, std::initializer_list<const double*> given,
                    std::initializer_list<SolverResult> wanted) {
  const LuaPlugin& self = LuaPlugin::of(plugin);
  int blamed = 0;
  const torsor_status went = self.ask(
      function,
      [&](lua_State* L) {
        push_state(L, *model, *state);
        for (const double* vector : given) push_list(L, {vector, size_t(model->n_v)});
        return 1 + int(given.size());
      },
      [&](lua_State* L, int results, const std::string& owner) {
        if (const torsor_status rejected = rejection(L, results, owner, *model, self);
            rejected != TORSOR_OK)
          return rejected;
        if (size_t(results) != wanted.size())
          throw Error(fmt::format("{} returns {} value{}; it must return {}", owner, results,
                                  results == 1 ? "" : "s",
                                  wanted.size() == 1 ? "one" : fmt::format("{}", wanted.size())));
        int index = 1;
        for (const SolverResult& result : wanted) {
          read_tensor(L, index++, owner, model->n_v, result.indices, result.out);
          check_finite(*model, result, owner, blamed);
        }
        return torsor_status(TORSOR_OK);
      });
  return blamed > 0 ? TORSOR_STATUS(went, blamed) : went;
}

// Entries of the C table. Each entry calls the Lua function of the same name.
template <Quantity quantity>
torsor_status of_state(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                       double*, double* out) {
  return solve(p, row_of(quantity).member.name, m, s, {}, {{out, indices(quantity)}});
}
template <Quantity quantity>
torsor_status of_given(const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                       const double* given, double*, double* out) {
  return solve(p, row_of(quantity).member.name, m, s, {given}, {{out, indices(quantity)}});
}

template <Quantity quantity>
void offer(const PluginDefinition& d, torsor_solver& out) {
  constexpr SolverMember member = row_of(quantity).member;
  if (!d.function(member.name)) return;
  if constexpr (member.of_given != nullptr)
    out.*member.of_given = of_given<quantity>;
  else
    out.*member.of_state = of_state<quantity>;
}
template <size_t... k>
void offer_all(const PluginDefinition& d, torsor_solver& out, std::index_sequence<k...>) {
  (offer<Quantity(k)>(d, out), ...);
}

torsor_solver solver_table(const PluginDefinition& d) {
  torsor_solver out{};
  out.struct_size = sizeof out;
  offer_all(d, out, std::make_index_sequence<n_quantities>());
  return out;
}

torsor_solver_partials partials_table(const PluginDefinition& d) {
  torsor_solver_partials out{};
  out.struct_size = sizeof out;
  out.inverse_partials = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                            const double* vdot, double*, double* dtau_dq, double* dtau_dv) {
    return solve(p, "inverse_partials", m, s, {vdot}, {{dtau_dq, 2}, {dtau_dv, 2}});
  };
  if (!d.function("forward_partials")) return out;
  out.forward_partials = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                            const double* tau, double*, double* dvdot_dq, double* dvdot_dv,
                            double* dvdot_dtau) {
    return solve(p, "forward_partials", m, s, {tau},
                 {{dvdot_dq, 2}, {dvdot_dv, 2}, {dvdot_dtau, 2}});
  };
  return out;
}

torsor_solver_rates rates_table() {
  torsor_solver_rates out{};
  out.struct_size = sizeof out;
  out.max_order = 2;
  // The Lua function inverse_rates(vdot, vddot, vdddot) returns tau and its first two time
  // derivatives. If the caller requests a lower order, the missing derivatives of vdot are passed
  // as zero and the extra results are dropped.
  out.rates = [](const torsor_plugin* p, const torsor_model* m, const torsor_state* s,
                 const torsor_motion_rates* motion, double*, double* tau) {
    if (motion->V_W || motion->A_W || motion->F_B)
      return LuaPlugin::of(p).reject(
          "it offers time derivatives of torques only for a base at rest and wrenches that are "
          "constant in the axes of the bodies");
    const size_t n = size_t(m->n_v), wanted = size_t(motion->order + 1) * n;
    std::vector<double> given(3 * n), rates(3 * n);
    std::copy_n(motion->vdot, wanted, given.begin());
    const torsor_status status =
        solve(p, "inverse_rates", m, s, {given.data(), given.data() + n, given.data() + 2 * n},
              {{rates.data(), 1}, {rates.data() + n, 1}, {rates.data() + 2 * n, 1}});
    if (status == TORSOR_OK) std::copy_n(rates.begin(), wanted, tau);
    return status;
  };
  return out;
}

void read_solver(const TableReader& table, PluginDefinition& out) {
  if (!out.function("inverse") && !out.function("forward"))
    table.fail("has neither inverse nor forward; define one of them, the rest is derived");
  if (out.function("forward_partials") && !out.function("inverse_partials"))
    table.fail("has forward_partials but no inverse_partials; define both");
}

std::vector<LuaInterface> solver_interfaces(const PluginDefinition& definition) {
  std::vector<LuaInterface> out{
      {TORSOR_SOLVER, std::make_shared<torsor_solver>(solver_table(definition))}};
  if (definition.function("inverse_partials"))
    out.push_back({TORSOR_SOLVER_PARTIALS,
                   std::make_shared<torsor_solver_partials>(partials_table(definition))});
  if (definition.function("inverse_rates"))
    out.push_back({TORSOR_SOLVER_RATES, std::make_shared<torsor_solver_rates>(rates_table())});
  return out;
}

std::vector<const char*> functions() {
  std::vector<const char*> out{"prepare"};
  for (const QuantityRow& row : quantities) out.push_back(row.member.name);
  out.insert(out.end(), {"inverse_partials", "forward_partials", "inverse_rates"});
  return out;
}

}  // namespace

LuaKind solver_kind() {
  return {.name = "solver",
          .functions = functions(),
          .needed = {},  // at least inverse or forward; read_solver() checks this
          .keys = {},
          .has_dynamics = false,
          .read = read_solver,
          .interfaces = solver_interfaces};
}

}  // namespace torsor::lua
