#include "torsor/scripting/scene/dynamics_call.hpp"

#include "torsor/scripting/values/frame_values.hpp"
#include "torsor/scripting/values/read_task.hpp"

namespace torsor::lua {

void charge_kernels(lua_State* L, const Model& model, int kernels) {
  Sandbox::of(L).charge(L, 50LL * model.n_body * kernels);
}

double steps_of_kernels(const Model& model, double kernels) {
  return 10.0 * model.n_body * kernels;
}

namespace {

// Memory in bytes of one number of a result: 8 in a C++ array and 16 in a Lua table.
constexpr double bytes_in_lua = sizeof(double) + 16;

std::string require_cost(lua_State* L, const Model& model, std::string_view what,
                         const CallCost::Size& size) {
  const std::string subject = fmt::format("{} of {} degrees of freedom", what, model.n_v);
  const TemporaryMemory with_tables(subject,
                                    bytes_in_lua * size.numbers + sizeof(double) * size.work);
  Sandbox::of(L).charge_work(L, subject, 50.0 * model.n_body * size.kernels);
  return subject;
}

}  // namespace

CallCost::CallCost(lua_State* L, const Model& model, std::string_view what, const Size& size)
    : memory_(require_cost(L, model, what, size), sizeof(double) * (size.numbers + size.work)) {}

DynamicsObject& called(lua_State* L, const char* usage, int values) {
  auto& out = self<DynamicsObject>(L, dynamics_type, usage);
  if (lua_gettop(L) - 1 != values)
    throw Error(fmt::format("{}: {} takes {} arguments, not {}", out.owner, usage, values,
                            lua_gettop(L) - 1));
  return out;
}

std::vector<double> rates_at(lua_State* L, int index, const DynamicsObject& d, const char* name) {
  return numbers_at(L, index, {d.owner, name}, d.state.v.size());
}

void set_state(lua_State* L, DynamicsObject& d, int index) {
  d.state.set_q(positions_at(L, index, {d.owner, "q"}, d.state.model()));
  std::fill(d.state.v.begin(), d.state.v.end(), 0.0);
  charge_kernels(L, d.state.model(), 1);
}

void require_solver(const DynamicsObject& d) {
  if (!d.solver)
    throw Error(fmt::format(
        "{}: plugins are not available where this scene is loaded; run it as a scene", d.owner));
}

void push_cube(lua_State* L, std::span<const double> entries, size_t n) {
  lua_createtable(L, int(n), 0);
  for (size_t i = 0; i < n; ++i) {
    const auto rows = entries.subspan(i * n * n, n * n);
    push_matrix(L, rows, n);
    lua_rawseti(L, -2, lua_Integer(i + 1));
  }
}

}  // namespace torsor::lua
