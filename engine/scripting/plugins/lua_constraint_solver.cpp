// Implements torsor.constraint_solver: the ABI table of constraint solvers that call a Lua
// function.

#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/sdk/constraint_view.hpp"

namespace torsor::lua {

namespace {

// Pushes a problem as { n, G, c, c_terms, lower, upper }.
void push_problem(lua_State* L, const torsor_constraint_problem& problem) {
  const auto n = size_t(problem.n);
  lua_createtable(L, 0, 6);
  lua_pushinteger(L, problem.n);
  lua_setfield(L, -2, "n");
  push_rows(L, problem.G, problem.n, problem.n);
  lua_setfield(L, -2, "G");
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
        push_problem(L, *problem);
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

std::vector<LuaInterface> constraint_solver_interfaces(const PluginDefinition&) {
  return {{TORSOR_CONSTRAINT_SOLVER,
           std::make_shared<torsor_constraint_solver>(
               torsor_constraint_solver{.struct_size = sizeof(torsor_constraint_solver),
                                        .work_size = nullptr,
                                        .solve = solve_constraints})}};
}

}  // namespace

LuaKind constraint_solver_kind() {
  return {.name = "constraint_solver",
          .functions = {"prepare", "solve"},
          .needed = {"solve"},
          .keys = {},
          .has_dynamics = false,
          .read = [](const TableReader&, PluginDefinition&) {},
          .interfaces = constraint_solver_interfaces};
}

}  // namespace torsor::lua
