// Implements d:evaluate, the dynamics of many states.

#include "torsor/batch/batch_quantity.hpp"
#include "torsor/scripting/batch/batch_values.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/frame_values.hpp"

namespace torsor::lua {

namespace {

// Pushes the entries of a state as a list, or as a list of rows.
void push_result_of_state(lua_State* L, const BatchResult& result, const StateBatch& states,
                          std::span<const double> out, size_t k) {
  std::vector<double> one(result.entries(states.model()));
  for (size_t i = 0; i < one.size(); ++i) one[i] = out[i * states.stride() + k];
  if (result.is_matrix)
    push_matrix(L, one, size_t(states.model().n_v));
  else
    push_list(L, one);
}

}  // namespace

// Implements d:evaluate{ quantities = { names }, q = rows, v =, vdot =, tau = }. Returns a table
// with a list for each result: entry k is that of state k.
int evaluate_states(lua_State* L) {
  DynamicsObject& d = called(L, "d:evaluate{...}", 1);
  const std::string owner = fmt::format("evaluate in {}", d.owner);
  const TableReader table(L, 2, {owner, ""}, {"quantities", "q", "v", "vdot", "tau"});
  require_solver(d);
  const Model& model = d.state.model();
  const size_t n_v = size_t(model.n_v);
  const std::vector<BatchQuantity> chosen =
      batch_quantities(table.texts("quantities"), *d.solver, owner);
  const size_t n = count_states(table);
  double numbers = 0;
  for (const BatchQuantity& quantity : chosen)
    for (const BatchResult& result : quantity.results) numbers += double(result.entries(model));
  const CallCost cost(L, model, fmt::format("{}: {} states", owner, n),
                      {double(n) * numbers / double(std::max<size_t>(n_v, 1)), double(n) * numbers,
                       double(n) * double(4 * n_v)});
  StateBatch states(d.state.model_ptr(), n);
  states.set_world(d.state);
  read_states(table, states);
  std::vector<double> vdot(n_v * states.stride()), tau(vdot);
  read_rows(table, "vdot", states, vdot);
  read_rows(table, "tau", states, tau);
  BatchSolver solver(*d.solver);
  lua_newtable(L);
  for (const BatchQuantity& quantity : chosen) {
    std::vector<std::vector<double>> out;
    std::vector<double*> pointers;
    for (const BatchResult& result : quantity.results) {
      out.emplace_back(result.entries(model) * states.stride());
      pointers.push_back(out.back().data());
    }
    const BatchStatus status =
        quantity.evaluate(solver, states, vdot.data(), tau.data(), pointers.data());
    if (!status)
      table.fail(fmt::format("{}: state {}: {}", quantity.name, status.state + 1,
                             d.solver->explain(status.status)));
    for (size_t r = 0; r < out.size(); ++r) {
      lua_createtable(L, int(n), 0);
      for (size_t k = 0; k < n; ++k) {
        push_result_of_state(L, quantity.results[r], states, out[r], k);
        lua_rawseti(L, -2, lua_Integer(k + 1));
      }
      lua_setfield(L, -2, quantity.results[r].name.c_str());
    }
  }
  return 1;
}

}  // namespace torsor::lua
