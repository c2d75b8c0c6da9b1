// Implements torsor.controller: the ABI table of a controller that calls Lua functions, and the Lua
// object model.dynamics.

#include <cmath>
#include <limits>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/scripting/plugins/lua_kind.hpp"
#include "torsor/scripting/plugins/lua_plugin.hpp"
#include "torsor/scripting/plugins/plugin_values.hpp"
#include "torsor/scripting/values/reference_values.hpp"
#include "torsor/sdk/ext/controller.h"
#include "torsor/sdk/ext/solver_rates.h"

namespace torsor::lua {

namespace {

constexpr const char* service_type = "dynamics of a controller";

// The Lua object model.dynamics: the dynamics service that the host provides to a controller.
// `dynamics` is null after the controller is destroyed.
struct Service {
  const torsor_dynamics* dynamics;
  int n_body, n_q, n_v;
};

Service& service(lua_State* L, const char* usage, int values) {
  auto* out = static_cast<Service*>(luaL_testudata(L, 1, service_type));
  if (!out) throw Error(fmt::format("call {0} with a colon", usage));
  if (!out->dynamics)
    throw Error(
        "these dynamics belong to a controller that no longer exists; use those of the current "
        "one");
  if (lua_gettop(L) - 1 != values)
    throw Error(fmt::format("{} takes {} argument{}, not {}", usage, values, values == 1 ? "" : "s",
                            lua_gettop(L) - 1));
  return *out;
}

void check_status(lua_State* L, const Service& d, torsor_status status) {
  Sandbox::of(L).charge(L, 50LL * d.n_v);
  if (status == TORSOR_OK) return;
  if (TORSOR_STATUS_CODE(status) == TORSOR_SINGULAR)
    throw Error(fmt::format("the mass matrix is singular at the joint of body {}",
                            TORSOR_STATUS_BODY(status)));
  throw Error(fmt::format("the dynamics of the controller's model failed: {}", words_of(status)));
}

std::vector<double> positions(lua_State* L, int index, const Service& d) {
  return numbers_at(L, index, {"dynamics", "q"}, size_t(d.n_q));
}
std::vector<double> rates(lua_State* L, int index, const Service& d, const char* name) {
  return numbers_at(L, index, {"dynamics", name}, size_t(d.n_v));
}

int of_three(lua_State* L, const char* usage, const char* third,
             decltype(torsor_dynamics::inverse) torsor_dynamics::*member) {
  const Service& d = service(L, usage, 3);
  const std::vector<double> q = positions(L, 2, d), v = rates(L, 3, d, "v"),
                            given = rates(L, 4, d, third);
  std::vector<double> out(size_t(d.n_v));
  check_status(L, d,
               (d.dynamics->*member)(d.dynamics, q.data(), v.data(), given.data(), out.data()));
  push_list(L, out);
  return 1;
}
int inverse(lua_State* L) {
  return of_three(L, "dynamics:inverse(q, v, vdot)", "vdot", &torsor_dynamics::inverse);
}
int forward(lua_State* L) {
  return of_three(L, "dynamics:forward(q, v, tau)", "tau", &torsor_dynamics::forward);
}
int bias(lua_State* L) {
  const Service& d = service(L, "dynamics:bias(q, v)", 2);
  const std::vector<double> q = positions(L, 2, d), v = rates(L, 3, d, "v");
  std::vector<double> out(size_t(d.n_v));
  check_status(L, d, d.dynamics->bias(d.dynamics, q.data(), v.data(), out.data()));
  push_list(L, out);
  return 1;
}
int gravity(lua_State* L) {
  const Service& d = service(L, "dynamics:gravity(q)", 1);
  const std::vector<double> q = positions(L, 2, d);
  std::vector<double> out(size_t(d.n_v));
  check_status(L, d, d.dynamics->gravity(d.dynamics, q.data(), out.data()));
  push_list(L, out);
  return 1;
}
int mass_matrix(lua_State* L) {
  const Service& d = service(L, "dynamics:mass_matrix(q)", 1);
  const std::vector<double> q = positions(L, 2, d);
  std::vector<double> out(size_t(d.n_v) * size_t(d.n_v));
  check_status(L, d, d.dynamics->mass_matrix(d.dynamics, q.data(), out.data()));
  push_rows(L, out.data(), d.n_v, d.n_v);
  return 1;
}

// Implements dynamics:stiffness(). Returns the rows of the stiffness matrix of elastic joints.
int stiffness(lua_State* L) {
  const Service& d = service(L, "dynamics:stiffness()", 0);
  push_rows(L, d.dynamics->stiffness, d.n_v, d.n_v);
  return 1;
}

// Implements dynamics:regressor(q, v, v_r, a_r). Returns the n_v rows of the regressor Y. Y has ten
// columns for each body except the world.
int regressor(lua_State* L) {
  const Service& d = service(L, "dynamics:regressor(q, v, v_r, a_r)", 4);
  if (!d.dynamics->regressor)
    throw Error("dynamics:regressor: a mechanism with closures has no regressor");
  const std::vector<double> q = positions(L, 2, d), v = rates(L, 3, d, "v"),
                            v_r = rates(L, 4, d, "v_r"), a_r = rates(L, 5, d, "a_r");
  const size_t columns = 10 * size_t(d.n_body);
  std::vector<double> Y(size_t(d.n_v) * columns);
  check_status(
      L, d,
      d.dynamics->regressor(d.dynamics, q.data(), v.data(), v_r.data(), a_r.data(), Y.data()));
  lua_createtable(L, d.n_v, 0);
  for (int k = 0; k < d.n_v; ++k) {
    push_list(L, std::span(Y).subspan(size_t(k) * columns + 10, columns - 10));
    lua_rawseti(L, -2, k + 1);
  }
  return 1;
}

// Implements dynamics:inverse_rates. Returns tau, tau_dot and tau_ddot.
int inverse_rates(lua_State* L) {
  const Service& d = service(L, "dynamics:inverse_rates(q, v, vdot, vddot, vdddot)", 5);
  if (!d.dynamics->regressor)
    throw Error("dynamics:inverse_rates: they are not offered for a mechanism with closures");
  if (!d.dynamics->inverse_rates)
    throw Error(
        "dynamics:inverse_rates: the solver of the controller's model offers no time derivatives "
        "of torques (" TORSOR_SOLVER_RATES "); use newton_euler");
  const std::vector<double> q = positions(L, 2, d), v = rates(L, 3, d, "v"),
                            vdot = rates(L, 4, d, "vdot"), vddot = rates(L, 5, d, "vddot"),
                            vdddot = rates(L, 6, d, "vdddot");
  std::vector<double> tau(size_t(d.n_v)), tau_dot = tau, tau_ddot = tau;
  check_status(
      L, d,
      d.dynamics->inverse_rates(d.dynamics, q.data(), v.data(), vdot.data(), vddot.data(),
                                vdddot.data(), tau.data(), tau_dot.data(), tau_ddot.data()));
  for (const auto& out : {tau, tau_dot, tau_ddot}) push_list(L, out);
  return 3;
}

// Implements dynamics:configuration(number). Returns a position q within the joint limits. The
// result depends only on the number.
int configuration(lua_State* L) {
  const Service& d = service(L, "dynamics:configuration(number)", 1);
  const lua_Integer number = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : -1;
  if (number < 0 || number > std::numeric_limits<uint32_t>::max())
    throw Error("dynamics:configuration(number) takes a whole number from 0 to 4294967295");
  std::vector<double> q(size_t(d.n_q));
  check_status(L, d, d.dynamics->configuration(d.dynamics, uint32_t(number), q.data()));
  push_list(L, q);
  return 1;
}

// Implements dynamics:frame(F, q, v). F is a value of a parameter of type frame. Returns X_WF, the
// Jacobian J [6 x n_v], and Jdot v [6].
int frame(lua_State* L) {
  const Service& d = service(L, "dynamics:frame(F, q, v)", 3);
  const TableReader given(L, 2, {"dynamics", "frame"}, {"body", "pose"});
  torsor_frame F{};
  F.body = int32_t(given.number("body"));
  const Pose<double> X = read_pose(given, "pose");
  std::copy_n(X.R.m, 9, F.X_BF);
  std::copy_n(&X.p.x, 3, F.X_BF + 9);
  const std::vector<double> q = positions(L, 3, d), v = rates(L, 4, d, "v");
  double X_WF[12], Jdot_v[6];
  std::vector<double> J(6 * size_t(d.n_v));
  check_status(L, d, d.dynamics->frame(d.dynamics, &F, q.data(), v.data(), X_WF, J.data(), Jdot_v));
  push_pose_numbers(L, X_WF);
  push_rows(L, J.data(), 6, d.n_v);
  push_list(L, Jdot_v);
  return 3;
}

void set_wanted(lua_State* L, const char* key, const double* x, int n) {
  if (x) set_list(L, key, {x, size_t(n)});
}

void push_input(lua_State* L, const LuaPlugin& self, const torsor_model& model,
                const torsor_control_input& in) {
  lua_createtable(L, 0, 20);
  lua_pushnumber(L, in.time);
  lua_setfield(L, -2, "t");
  lua_pushnumber(L, in.period);
  lua_setfield(L, -2, "period");
  set_list(L, "q", {in.q, size_t(model.n_q)});
  set_list(L, "motor_q", {in.motor_q, size_t(model.n_q)});
  for (const auto& [key, x] : {std::pair{"v", in.v},
                               {"motor_v", in.motor_v},
                               {"max_torque", in.max_torque},
                               {"tau_lower", in.tau_lower},
                               {"tau_upper", in.tau_upper},
                               {"v_d", in.v_d},
                               {"vdot_d", in.vdot_d},
                               {"vddot_d", in.vddot_d},
                               {"vdddot_d", in.vdddot_d},
                               {"e", in.e},
                               {"v_r", in.v_r},
                               {"a_r", in.a_r}})
    set_wanted(L, key, x, model.n_v);
  set_wanted(L, "q_d", in.q_d, model.n_q);
  if (in.X_d) {
    push_pose_numbers(L, in.X_d);
    lua_setfield(L, -2, "X_d");
  }
  set_wanted(L, "V_d", in.V_d, 6);
  set_wanted(L, "Vdot_d", in.Vdot_d, 6);
  set_wanted(L, "sensors", in.sensor, int(in.n_sensor));
  set_list(L, "x", {in.x, self.n_x()});
  set_list(L, "memory", {in.memory, self.n_memory()});
}

// The entries of a definition of a controller.
struct ControllerEntries {
  torsor_controller table{};           // without functions; its signals are those below
  std::vector<torsor_signal> signals;  // the definition owns their strings (PluginDefinition::rows)
};
const ControllerEntries& controller_entries(const PluginDefinition& definition) {
  return *std::any_cast<ControllerEntries>(&definition.of_kind);
}

void read_signals(const ResultTable& result, const LuaPlugin& self, size_t n_v, double* out) {
  const std::vector<torsor_signal>& expected = controller_entries(self.definition()).signals;
  std::vector<const char*> names;
  for (const torsor_signal& signal : expected) names.push_back(signal.name);
  if (names.empty() && !result.has("signals")) return;
  const ResultTable signals = result.table("signals", names);
  for (const torsor_signal& signal : expected) {
    const size_t n = signal.count > 0 ? signal.count : n_v;
    if (!signals.has(signal.name))
      throw Error(fmt::format("{} returns no {}; add it to the returned table", signals.owner(),
                              signal.name));
    if (signal.count == 1)
      signals.number(signal.name, *out);
    else
      signals.list(signal.name, {out, n});
    out += n;
  }
}

torsor_status evaluate_control(const torsor_plugin* plugin, const torsor_model* model,
                               const torsor_control_input* in, double*,
                               torsor_control_output* out) {
  const LuaPlugin& self = LuaPlugin::of(plugin);
  return self.ask(
      "evaluate",
      [&](lua_State* L) {
        push_input(L, self, *model, *in);
        return 1;
      },
      [&](lua_State* L, int results, const std::string& owner) -> torsor_status {
        const ResultTable result(L, results, owner, {"tau", "xdot", "memory", "signals"});
        if (!result.has("tau"))
          throw Error(owner + " returns no tau; add it to the returned table");
        result.list("tau", {out->tau, size_t(model->n_v)});
        if (self.n_x() > 0 && !result.has("xdot"))
          throw Error(owner + " returns no xdot; add it to the returned table");
        result.list("xdot", {out->xdot, self.n_x()});
        result.list("memory", {out->memory, self.n_memory()});  // unchanged if missing
        read_signals(result, self, size_t(model->n_v), out->signal);
        return TORSOR_OK;
      });
}

// Reads the entry signals = { NAME = { unit = "", count = 1, acceleration = true } }. A signal
// without a count has n_v entries.
void read_signals(const TableReader& table, PluginDefinition& out,
                  std::vector<torsor_signal>& signals) {
  table.each("signals", [&](const std::string& name, int value, const Place& place) {
    const TableReader row(table.state(), value, place, {"unit", "count", "acceleration"});
    PluginDefinition::Row& texts =
        *out.rows.emplace_back(std::make_unique<PluginDefinition::Row>());
    texts.name = name;
    texts.unit = row.text_or("unit", "");
    const double count = row.number_or("count", 0);
    if (!(count >= 0 && count <= 1000) || count != std::floor(count))
      row.place().inside("count").fail(fmt::format("is {}; it must be a whole number", count));
    signals.push_back({sizeof(torsor_signal), uint32_t(count), row.flag_or("acceleration", false),
                       texts.name.c_str(), texts.unit.c_str()});
  });
}

void read_controller(const TableReader& table, PluginDefinition& out) {
  auto& [controller, signals] = out.of_kind.emplace<ControllerEntries>();
  if (table.has("signals")) read_signals(table, out, signals);
  controller.struct_size = sizeof controller;
  controller.reference = word(table, "follows", {"nothing", "joints", "frame"});
  controller.all_joints = table.flag_or("all_joints", false);
  controller.n_signal = uint32_t(signals.size());
  controller.signal = signals.data();
  const double smoothness = table.number_or("smoothness", 0);
  if (!(smoothness >= 0 && smoothness <= int(TORSOR_MAX_ORDER)) ||
      smoothness != std::floor(smoothness))
    table.place()
        .inside("smoothness")
        .fail(fmt::format("is {}; it must be a whole number up to {}", smoothness,
                          int(TORSOR_MAX_ORDER)));
  controller.smoothness = int32_t(smoothness);
  controller.of_motors = table.flag_or("of_motors", false);
}

std::vector<LuaInterface> controller_interfaces(const PluginDefinition& definition) {
  auto table = std::make_shared<torsor_controller>(controller_entries(definition).table);
  table->evaluate = evaluate_control;
  return {{TORSOR_CONTROLLER, std::move(table)}};
}

}  // namespace

LuaKind controller_kind() {
  return {.name = "controller",
          .functions = {"prepare", "evaluate", "states", "memory"},
          .needed = {"evaluate"},
          .keys = {"follows", "all_joints", "signals", "smoothness", "of_motors"},
          .has_dynamics = true,
          .read = read_controller,
          .interfaces = controller_interfaces};
}

void make_dynamics_type(lua_State* L) {
  constexpr Function methods[] = {{"bias", guarded<bias>},
                                  {"configuration", guarded<configuration>},
                                  {"forward", guarded<forward>},
                                  {"frame", guarded<frame>},
                                  {"gravity", guarded<gravity>},
                                  {"inverse", guarded<inverse>},
                                  {"inverse_rates", guarded<inverse_rates>},
                                  {"mass_matrix", guarded<mass_matrix>},
                                  {"regressor", guarded<regressor>},
                                  {"stiffness", guarded<stiffness>}};
  make_type(L, service_type, methods);
}

void push_service(lua_State* L, const torsor_dynamics* dynamics, const torsor_model& model) {
  auto* out = static_cast<Service*>(lua_newuserdatauv(L, sizeof(Service), 0));
  *out = {dynamics, model.n_body, model.n_q, model.n_v};
  luaL_setmetatable(L, service_type);
}

void end_service(lua_State* L, int index) {
  if (auto* out = static_cast<Service*>(luaL_testudata(L, index, service_type)))
    out->dynamics = nullptr;
}

void push_drives(lua_State* L, const torsor_dynamics& dynamics, const torsor_model& model) {
  lua_createtable(L, model.n_v, 0);
  for (int k = 0; k < model.n_v; ++k) {
    const torsor_drive& d = dynamics.drive[k];
    lua_createtable(L, 0, 13);
    lua_pushboolean(L, dynamics.tied[k]);
    lua_setfield(L, -2, "tied");
    for (const auto& [key, value] : {std::pair{"lower", d.lower},
                                     {"upper", d.upper},
                                     {"max_rate", d.max_rate},
                                     {"max_torque", d.max_torque},
                                     {"viscous", d.viscous},
                                     {"coulomb", d.coulomb},
                                     {"motor_viscous", dynamics.motor_viscous[k]},
                                     {"motor_coulomb", dynamics.motor_coulomb[k]},
                                     {"stiffness", d.stiffness},
                                     {"spring_cubic", d.spring_cubic},
                                     {"spring_damping", d.spring_damping},
                                     {"motor_inertia", d.motor_inertia}}) {
      lua_pushnumber(L, value);
      lua_setfield(L, -2, key);
    }
    lua_rawseti(L, -2, k + 1);
  }
}

}  // namespace torsor::lua
