// Implements the methods of arm:dynamics that compute derivatives of the dynamics.

#include "torsor/scripting/sandbox/table_reader.hpp"
#include "torsor/scripting/scene/dynamics_call.hpp"
#include "torsor/scripting/values/frame_values.hpp"

namespace torsor::lua {

namespace {

void expect(const DynamicsObject& d, Status status) {
  if (status) return;
  const int code = TORSOR_STATUS_CODE(status.value);
  const char* offering = code == Status::no_equation_rates ? "lie_group" : "newton_euler";
  const bool lacks = code == Status::no_rates || code == Status::no_partials ||
                     code == Status::no_second_partials || code == Status::no_equation_rates;
  throw Error(fmt::format("{}: {}{}", d.owner, d.solver->explain(status),
                          lacks ? fmt::format("; set solver = \"{}\"", offering) : ""));
}

// Reads the arguments of a method d:CALL(q, v, given). Sets the state to q and v and returns the
// values of `given` [n_v].
std::vector<double> set_motion(lua_State* L, DynamicsObject& d, const char* given) {
  require_solver(d);
  set_state(L, d, 2);
  d.state.v = rates_at(L, 3, d, "v");
  return rates_at(L, 4, d, given);
}

// Implements d:inverse_partials(q, v, vdot). Returns two matrices as lists of rows: d tau/dq and d
// tau/dv.
int inverse_partials(lua_State* L) {
  DynamicsObject& d = called(L, "d:inverse_partials(q, v, vdot)", 3);
  const std::vector<double> vdot = set_motion(L, d, "vdot");
  const size_t n = vdot.size();
  const CallCost cost(L, d.state.model(), d.owner + ": the partial derivatives",
                      {2.0 + double(n), 2.0 * double(n * n)});
  std::vector<double> dq(n * n), dv(n * n);
  expect(d, d.solver->inverse_partials(d.state, vdot.data(), {dq.data(), dv.data()}));
  push_matrix(L, dq, n);
  push_matrix(L, dv, n);
  return 2;
}

// Implements d:forward_partials(q, v, tau). Returns three matrices as lists of rows: d vdot/dq, d
// vdot/dv and d vdot/dtau.
int forward_partials(lua_State* L) {
  DynamicsObject& d = called(L, "d:forward_partials(q, v, tau)", 3);
  const std::vector<double> tau = set_motion(L, d, "tau");
  const size_t n = tau.size();
  const CallCost cost(L, d.state.model(), d.owner + ": the partial derivatives",
                      {4.0 + 3.0 * double(n), 3.0 * double(n * n)});
  std::vector<double> dq(n * n), dv(n * n), dtau(n * n);
  expect(d, d.solver->forward_partials(d.state, tau.data(), {dq.data(), dv.data(), dtau.data()}));
  for (const auto* matrix : {&dq, &dv, &dtau}) push_matrix(L, *matrix, n);
  return 3;
}

// Implements d:second_partials(q, v, vdot). Returns four arrays with indices [i][j][k]:
// - the derivative of d tau/dq with respect to q;
// - the derivative of d tau/dv with respect to q;
// - the derivative of d tau/dv with respect to v;
// - the derivative of M with respect to q.
int second_partials(lua_State* L) {
  DynamicsObject& d = called(L, "d:second_partials(q, v, vdot)", 3);
  const std::vector<double> vdot = set_motion(L, d, "vdot");
  const size_t n = vdot.size();
  const CallCost cost(L, d.state.model(), d.owner + ": the second partial derivatives",
                      {double(6 * n + n * n), 4.0 * double(n) * double(n * n)});
  std::vector<double> qq(n * n * n), vq(qq), vv(qq), Mq(qq);
  expect(d, d.solver->second_partials(d.state, vdot.data(),
                                      {qq.data(), vq.data(), vv.data(), Mq.data()}));
  for (const auto* cube : {&qq, &vq, &vv, &Mq}) push_cube(L, *cube, n);
  return 4;
}

// Implements d:inverse_rates(q, v, vdot, vddot, ..). Returns tau and its time derivatives. The
// order of the highest derivative is the number of arguments after vdot.
int inverse_rates(lua_State* L) {
  auto& d = self<DynamicsObject>(L, dynamics_type, "d:inverse_rates(q, v, vdot, vddot, ..)");
  const int order = lua_gettop(L) - 4;
  if (order < 0)
    throw Error(fmt::format(
        "{}: d:inverse_rates(q, v, vdot, vddot, ..) takes three arguments or more", d.owner));
  if (order > TORSOR_MAX_ORDER)
    throw Error(
        fmt::format("{}: d:inverse_rates: derivatives of tau of order {} are not available; {} is "
                    "the highest order",
                    d.owner, order, int(TORSOR_MAX_ORDER)));
  std::vector<double> vdot = set_motion(L, d, "vdot");
  const size_t n = vdot.size();
  for (int k = 1; k <= order; ++k) {
    const std::vector<double> next =
        rates_at(L, 4 + k, d, fmt::format("v{}dot", std::string(size_t(k), 'd')).c_str());
    vdot.insert(vdot.end(), next.begin(), next.end());
  }
  std::vector<double> tau(vdot.size());
  charge_kernels(L, d.state.model(), 3 * (order + 1));
  expect(d, d.solver->rates(d.state, {order, vdot.data()}, tau.data()));
  for (int k = 0; k <= order; ++k)
    push_list(L, std::span<const double>(tau).subspan(size_t(k) * n, n));
  return order + 1;
}

// Implements d:equation_rates(q, v, vdot, vddot, vdddot). Returns { M = .., C = .., g = .., tau =
// .. }. Each entry is a list of three: the value and its first and second time derivatives.
int equation_rates(lua_State* L) {
  DynamicsObject& d = called(L, "d:equation_rates(q, v, vdot, vddot, vdddot)", 5);
  std::vector<double> vdot = set_motion(L, d, "vdot");
  const size_t n = vdot.size();
  for (const auto& [index, name] : {std::pair{5, "vddot"}, std::pair{6, "vdddot"}}) {
    const std::vector<double> next = rates_at(L, index, d, name);
    vdot.insert(vdot.end(), next.begin(), next.end());
  }
  const CallCost cost(L, d.state.model(), d.owner + ": the rates of the equations",
                      {10.0 + 6.0 * double(n), 6.0 * double(n * n) + 9.0 * double(n)});
  std::vector<double> M(3 * n * n), C(3 * n * n), g(3 * n), Q(3 * n), tau(3 * n);
  expect(d, d.solver->equation_rates(d.state, {2, vdot.data()},
                                     {M.data(), C.data(), g.data(), Q.data(), tau.data()}));
  lua_createtable(L, 0, 4);
  const auto set = [&](const char* key, const std::vector<double>& x, bool is_matrix) {
    const size_t size = x.size() / 3;
    lua_createtable(L, 3, 0);
    for (size_t k = 0; k < 3; ++k) {
      const auto part = std::span<const double>(x).subspan(k * size, size);
      if (is_matrix)
        push_matrix(L, part, n);
      else
        push_list(L, part);
      lua_rawseti(L, -2, lua_Integer(k + 1));
    }
    lua_setfield(L, -2, key);
  };
  set("M", M, true), set("C", C, true), set("g", g, false), set("tau", tau, false);
  return 1;
}

}  // namespace

std::span<const Function> derivative_functions() {
  static constexpr Function functions[] = {{"equation_rates", guarded<equation_rates>},
                                           {"forward_partials", guarded<forward_partials>},
                                           {"inverse_partials", guarded<inverse_partials>},
                                           {"inverse_rates", guarded<inverse_rates>},
                                           {"second_partials", guarded<second_partials>}};
  return functions;
}

}  // namespace torsor::lua
