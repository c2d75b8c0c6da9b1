// Implements torsor.joint_loop and the methods d:velocity_coefficients and d:bounds.

#include <cmath>

#include "torsor/analysis/bounds.hpp"
#include "torsor/analysis/joint_loop.hpp"
#include "torsor/analysis/velocity_coefficients.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/scene/torsor_module.hpp"
#include "torsor/scripting/values/reference_values.hpp"

namespace torsor::lua {

namespace {

// Sets a field of the table on top of the stack. NaN leaves the field nil.
void set_unless_nan(lua_State* L, const char* key, double x) {
  if (std::isnan(x)) return;
  lua_pushnumber(L, x);
  lua_setfield(L, -2, key);
}

// Calls a function of the engine. Adds the place of the table to its errors.
template <class Function>
auto within(const TableReader& table, Function&& function) -> decltype(function()) {
  try {
    return function();
  } catch (const Error& error) {
    table.fail(error.what());
  }
}

JointLoop read_loop(const TableReader& table) {
  const double inertia = table.number("inertia"), viscous = table.number_or("viscous", 0);
  if (!table.has("pole") && table.has("order"))
    table.fail("order is that of a pole; give a pole, or leave the order out");
  if (!table.has("pole"))
    return {inertia, viscous, table.number_or("kp", 0), table.number_or("kd", 0),
            table.number_or("ki", 0)};
  for (const char* gain : {"kp", "kd", "ki"})
    if (table.has(gain)) table.fail(fmt::format("both pole and {} are given; give one", gain));
  const double order = table.number_or("order", 3);
  if (order != 2 && order != 3) table.fail("order must be 2 or 3");
  const double pole = table.number("pole");
  return within(table, [&] { return JointLoop::with_pole(inertia, viscous, pole, int(order)); });
}

// Implements torsor.joint_loop{ inertia =, viscous =, kp =, kd =, ki = } or { inertia =, viscous =,
// pole =, order = }. scripts/README.md lists the returned fields.
int joint_loop(lua_State* L) {
  const TableReader table(L, 1, {"torsor.joint_loop", ""},
                          {"inertia", "viscous", "kp", "kd", "ki", "pole", "order"});
  const JointLoop loop = read_loop(table);
  const LoopAnalysis of = within(table, [&] { return analyse(loop); });
  lua_newtable(L);
  for (const auto& [key, x] : {std::pair{"inertia", loop.inertia},
                               {"viscous", loop.viscous},
                               {"kp", loop.kp},
                               {"kd", loop.kd},
                               {"ki", loop.ki},
                               {"phase_margin", of.phase_margin},
                               {"crossover", of.crossover},
                               {"gain_margin", of.gain_margin},
                               {"gain_frequency", of.gain_frequency},
                               {"bandwidth", of.bandwidth}})
    set_unless_nan(L, key, x);
  set_list(L, "numerator", std::vector{loop.kd, loop.kp, loop.ki});
  const std::array<double, 4> denominator = loop.characteristic();
  set_list(L, "denominator", std::vector(denominator.begin(), denominator.end()));
  lua_createtable(L, int(of.poles.size()), 0);
  for (size_t k = 0; k < of.poles.size(); ++k) {
    push_list(L, std::vector{of.poles[k].real(), of.poles[k].imag()});
    lua_rawseti(L, -2, lua_Integer(k) + 1);
  }
  lua_setfield(L, -2, "poles");
  push(L, name(of.stability));
  lua_setfield(L, -2, "stability");
  if (of.stability != Stability::stable) return 1;
  const StepResponse step = measure_step(loop, of);
  set_unless_nan(L, "overshoot", step.overshoot);
  set_unless_nan(L, "settling", step.settling);
  return 1;
}

void push_bound(lua_State* L, const Bound& bound) {
  lua_createtable(L, 0, 2);
  set_unless_nan(L, "value", bound.value);
  set_list(L, "q", bound.q);
}

}  // namespace

// Implements d:velocity_coefficients(q). Returns h_ijk as nested lists.
int coefficients_of_velocities(lua_State* L) {
  DynamicsObject& d = called(L, "d:velocity_coefficients(q)", 1);
  require_solver(d);
  set_state(L, d, 2);
  const size_t n = d.state.v.size();
  const double numbers = double(n * n * n);
  const CallCost cost(L, d.state.model(), d.owner + ": the velocity coefficients",
                      {2 + double(n * n), numbers, numbers});
  std::vector<double> h(n * n * n);
  if (const Status status = velocity_coefficients(*d.solver, d.state, h.data()); !status)
    throw Error(fmt::format("{}: {}", d.owner, d.solver->explain(status)));
  push_cube(L, h, n);
  return 1;
}

// Implements d:bounds{ length = }. Returns { a = { {value =, q =}, .. }, within_limits = { M_least
// =, M =, C =, g = } }.
int bounds_of_robot(lua_State* L) {
  if (lua_gettop(L) == 1) lua_newtable(L);
  DynamicsObject& d = called(L, "d:bounds{...}", 1);
  require_solver(d);
  const TableReader table(L, 2, {fmt::format("bounds in {}", d.owner), ""}, {"length"});
  const double length = table.number_or("length", 1), n = double(d.state.v.size());
  // About 5000 positions for each of 12 searches, with n^2 calls for the symbols in 5 of them.
  const CallCost cost(L, d.state.model(), d.owner + ": the bounds",
                      {5000 * (12 + 5 * n * n), 12 * double(d.state.q().size()), n * n * n});
  const DynamicsBounds of =
      within(table, [&] { return dynamics_bounds(*d.solver, d.state.gravity_W(), length); });
  lua_newtable(L);
  lua_createtable(L, int(of.a.size()), 0);
  for (size_t k = 0; k < of.a.size(); ++k) {
    push_bound(L, of.a[k]);
    lua_rawseti(L, -2, lua_Integer(k) + 1);
  }
  lua_setfield(L, -2, "a");
  if (!of.within_limits) return 1;
  lua_createtable(L, 0, 4);
  for (const auto& [key, bound] : {std::pair{"M_least", &of.within_limits->M_least},
                                   {"M", &of.within_limits->M},
                                   {"C", &of.within_limits->C},
                                   {"g", &of.within_limits->g}}) {
    push_bound(L, *bound);
    lua_setfield(L, -2, key);
  }
  lua_setfield(L, -2, "within_limits");
  return 1;
}

void add_analysis_functions(lua_State* L) {
  constexpr Function functions[] = {{"joint_loop", guarded<joint_loop>}};
  add_functions(L, functions);
}

}  // namespace torsor::lua
