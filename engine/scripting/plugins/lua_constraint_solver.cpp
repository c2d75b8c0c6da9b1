// Implements torsor.constraint_solver: the ABI table of constraint solvers that call a Lua
// function.

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/sdk/constraints/constraint_view.hpp"

namespace torsor::lua {

namespace {

// Pushes the friction groups of a problem as a list of { normal, first, count, mu }. Rows begin at
// 1.
void push_frictions(lua_State* L, const torsor_constraint_problem& problem) {
  lua_createtable(L, problem.n_frictions, 0);
  for (int k = 0; k < problem.n_frictions; ++k) {
    const torsor_friction& friction = problem.frictions[k];
    lua_createtable(L, 0, 4);
    lua_pushinteger(L, friction.normal + 1);
    lua_setfield(L, -2, "normal");
    lua_pushinteger(L, friction.first + 1);
    lua_setfield(L, -2, "first");
    lua_pushinteger(L, friction.count);
    lua_setfield(L, -2, "count");
    lua_pushnumber(L, friction.mu);
    lua_setfield(L, -2, "mu");
    lua_rawseti(L, -2, k + 1);
  }
}

// Pushes G as a list of rows. Entries that a sparse G does not store are 0.
void push_matrix(lua_State* L, const torsor_constraint_problem& problem) {
  lua_createtable(L, problem.n, 0);
  for (int i = 0; i < problem.n; ++i) {
    lua_createtable(L, problem.n, 0);
    int next = 0;
    const auto append = [&](double g) {
      lua_pushnumber(L, g);
      lua_rawseti(L, -2, ++next);
    };
    sdk::for_each_entry(problem, i, [&](int j, double g) {
      while (next < j) append(0);
      append(g);
    });
    while (next < problem.n) append(0);
    lua_rawseti(L, -2, i + 1);
  }
}

// Pushes a problem as { n, G, c, c_terms, lower, upper, frictions, start }. start: [n] the values
// from which an iteration may start.
void push_problem(lua_State* L, const torsor_constraint_problem& problem, const double* start) {
  const auto n = size_t(problem.n);
  lua_createtable(L, 0, 8);
  lua_pushinteger(L, problem.n);
  lua_setfield(L, -2, "n");
  push_matrix(L, problem);
  lua_setfield(L, -2, "G");
  push_frictions(L, problem);
  lua_setfield(L, -2, "frictions");
  set_list(L, "start", {start, n});
  set_list(L, "c", {problem.c, n});
  set_list(L, "c_terms", {problem.c_terms, n});
  set_list(L, "lower", {problem.lower, n});
  set_list(L, "upper", {problem.upper, n});
}

torsor_status solve_constraints(const torsor_plugin* plugin,
                                const torsor_constraint_problem* problem, double*,
                                torsor_constraint_result* out) {
  return LuaPlugin::of(plugin).ask(
      "solve",
      [&](lua_State* L) {
        push_problem(L, *problem, out->lambda);
        return 1;
      },
      [&](lua_State* L, int results, const std::string& owner) -> torsor_status {
        const ResultTable result(L, results, owner, {"lambda", "iterations"});
        if (!result.has("lambda"))
          throw Error(owner + " returns no lambda; add it to the returned table");
        result.list("lambda", {out->lambda, size_t(problem->n)});
        double iterations = 0;
        result.number("iterations", iterations);
        if (!(iterations >= 0 && iterations <= 1e9))
          throw Error(owner + " returns a number of iterations that is not in 0 to 1e9");
        out->iterations = int32_t(iterations);
        out->residual = sdk::residual_of(*problem, out->lambda);
        return TORSOR_OK;
      });
}

void read_constraint_solver(const TableReader& table, PluginDefinition& out) {
  out.of_kind = table.flag_or("handles_friction", false);
}
std::vector<LuaInterface> constraint_solver_interfaces(const PluginDefinition& definition) {
  return {{TORSOR_CONSTRAINT_SOLVER,
           std::make_shared<torsor_constraint_solver>(
               torsor_constraint_solver{.struct_size = sizeof(torsor_constraint_solver),
                                        .handles_friction = std::any_cast<bool>(definition.of_kind),
                                        .work_size = nullptr,
                                        .solve = solve_constraints})}};
}

}  // namespace

LuaKind constraint_solver_kind() {
  return {.name = "constraint_solver",
          .functions = {"prepare", "solve"},
          .needed = {"solve"},
          .keys = {"handles_friction"},
          .has_dynamics = false,
          .read = read_constraint_solver,
          .interfaces = constraint_solver_interfaces};
}

}  // namespace torsor::lua
