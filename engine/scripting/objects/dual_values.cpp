#include "torsor/scripting/objects/dual_values.hpp"

#include <fmt/format.h>

#include <cmath>

#include "torsor/scripting/sandbox/environment.hpp"
#include "torsor/scripting/sandbox/sandbox.hpp"

namespace torsor::lua {

// A namespace of its own, because its names are common words.
namespace dual {
namespace {

constexpr const char* dual_type = "dual";

// The numbers of a dual in the memory of its Lua value: m, the value, the gradient [m], and the
// rows of the lower triangle of the matrix of second derivatives.
struct DualView {
  size_t m = 0;
  double value = 0;
  double *g = nullptr, *H = nullptr;  // null for a number
};
constexpr size_t triangle(size_t m) {
  return m * (m + 1) / 2;
}
DualView view(double* memory, size_t m) {
  if (m == 0) return {0, memory[1]};
  return {m, memory[1], memory + 2, memory + 2 + m};
}

bool is_dual(lua_State* L, int index) {
  return luaL_testudata(L, index, dual_type);
}
// Reads the dual or the number at a stack index. Throws Error if it is neither.
DualView dual_at(lua_State* L, int index) {
  if (auto* memory = static_cast<double*>(luaL_testudata(L, index, dual_type)))
    return view(memory, size_t(memory[0]));
  if (lua_type(L, index) != LUA_TNUMBER)
    throw Error(fmt::format("a dual number cannot be combined with a {}", luaL_typename(L, index)));
  DualView out;
  out.value = lua_tonumber(L, index);
  return out;
}

// Pushes a dual of m variables and charges its steps.
DualView push_new(lua_State* L, double value, size_t m) {
  const size_t n = 2 + m + triangle(m);
  Sandbox::of(L).charge(L, (long long)(n / 20));
  auto* memory = static_cast<double*>(lua_newuserdatauv(L, n * sizeof(double), 0));
  memory[0] = double(m), memory[1] = value;
  luaL_setmetatable(L, dual_type);
  return view(memory, m);
}

// The value of a function of two numbers, and its derivatives.
struct Partials {
  double f, a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

// Returns factor x, which is 0 for a factor of 0 even if x is infinite. An example is the second
// derivative 0 x^-1 of x^1 at 0.
double scaled(double factor, double x) {
  return factor == 0 ? 0 : factor * x;
}

// Pushes the result of a function of the values at two stack indices, of which at least one is a
// dual.
int push_result(lua_State* L, const DualView& a, const DualView& b, const Partials& p) {
  const size_t m = std::max(a.m, b.m);
  if (a.m && b.m && a.m != b.m)
    throw Error("two dual numbers of different functions cannot be combined");
  const DualView out = push_new(L, p.f, m);
  const auto g = [](const DualView& of, size_t i) { return of.g ? of.g[i] : 0; };
  for (size_t i = 0; i < m; ++i) out.g[i] = scaled(g(a, i), p.a) + scaled(g(b, i), p.b);
  for (size_t i = 0, k = 0; i < m; ++i)
    for (size_t j = 0; j <= i; ++j, ++k)
      out.H[k] = scaled(a.H ? a.H[k] : 0, p.a) + scaled(b.H ? b.H[k] : 0, p.b) +
                 scaled(g(a, i) * g(a, j), p.aa) + scaled(g(b, i) * g(b, j), p.bb) +
                 scaled(g(a, i) * g(b, j) + g(b, i) * g(a, j), p.ab);
  return 1;
}

using Binary = Partials (*)(double, double);
template <Binary f>
int binary(lua_State* L) {
  const DualView a = dual_at(L, 1), b = dual_at(L, 2);
  return push_result(L, a, b, f(a.value, b.value));
}
Partials sum(double a, double b) {
  return {.f = a + b, .a = 1, .b = 1};
}
Partials difference(double a, double b) {
  return {.f = a - b, .a = 1, .b = -1};
}
Partials product(double a, double b) {
  return {.f = a * b, .a = b, .b = a, .ab = 1};
}
Partials quotient(double a, double b) {
  return {.f = a / b, .a = 1 / b, .b = -a / (b * b), .ab = -1 / (b * b), .bb = 2 * a / (b * b * b)};
}
// The derivatives with respect to b exist for a > 0 only; otherwise they are NaN.
Partials power(double a, double b) {
  const double f = std::pow(a, b), log = std::log(a), next = scaled(b, std::pow(a, b - 1));
  return {.f = f,
          .a = next,
          .b = f * log,
          .aa = scaled(b * (b - 1), std::pow(a, b - 2)),
          .ab = std::pow(a, b - 1) + next * log,
          .bb = f * log * log};
}
Partials angle(double y, double x) {
  const double r = x * x + y * y;
  return {.f = std::atan2(y, x),
          .a = x / r,
          .b = -y / r,
          .aa = -2 * x * y / (r * r),
          .ab = (y * y - x * x) / (r * r),
          .bb = 2 * x * y / (r * r)};
}

using Unary = Partials (*)(double);
template <Unary f>
int unary(lua_State* L) {
  const DualView a = dual_at(L, 1);
  return push_result(L, a, {}, f(a.value));
}
Partials negative(double x) {
  return {.f = -x, .a = -1};
}
Partials absolute(double x) {
  return {.f = std::abs(x), .a = x < 0 ? -1.0 : 1.0};
}
Partials sine(double x) {
  return {.f = std::sin(x), .a = std::cos(x), .aa = -std::sin(x)};
}
Partials cosine(double x) {
  return {.f = std::cos(x), .a = -std::sin(x), .aa = -std::cos(x)};
}
Partials tangent(double x) {
  const double t = std::tan(x);
  return {.f = t, .a = 1 + t * t, .aa = 2 * t * (1 + t * t)};
}
Partials arc_sine(double x) {
  const double r = 1 - x * x;
  return {.f = std::asin(x), .a = 1 / std::sqrt(r), .aa = x / (r * std::sqrt(r))};
}
Partials arc_cosine(double x) {
  const Partials s = arc_sine(x);
  return {.f = std::acos(x), .a = -s.a, .aa = -s.aa};
}
Partials exponential(double x) {
  const double e = std::exp(x);
  return {.f = e, .a = e, .aa = e};
}
Partials square_root(double x) {
  const double r = std::sqrt(x);
  return {.f = r, .a = 1 / (2 * r), .aa = -1 / (4 * x * r)};
}
Partials logarithm(double x) {
  return {.f = std::log(x), .a = 1 / x, .aa = -1 / (x * x)};
}

// Implements math.log(x, base) and math.atan(y, x), whose second argument is optional.
int log_of(lua_State* L) {
  if (lua_isnoneornil(L, 2)) return unary<logarithm>(L);
  const DualView x = dual_at(L, 1), base = dual_at(L, 2);
  const Partials p = logarithm(x.value), q = logarithm(base.value);
  push_result(L, x, {}, p);
  push_result(L, base, {}, q);
  const DualView top = dual_at(L, -2), bottom = dual_at(L, -1);
  return push_result(L, top, bottom, quotient(top.value, bottom.value));
}
int angle_of(lua_State* L) {
  if (lua_isnoneornil(L, 2)) lua_settop(L, 1), lua_pushnumber(L, 1);
  return binary<angle>(L);
}

// Implements math.max and math.min: pushes the argument with the largest value of sign times it.
template <int sign>
int extreme(lua_State* L) {
  int best = 1;
  for (int i = 2; i <= lua_gettop(L); ++i)
    if (sign * dual_at(L, i).value > sign * dual_at(L, best).value) best = i;
  lua_pushvalue(L, best);
  return 1;
}

template <class Compare>
int compare(lua_State* L) {
  lua_pushboolean(L, Compare()(dual_at(L, 1).value, dual_at(L, 2).value));
  return 1;
}

int to_text(lua_State* L) {
  push(L, shown(dual_at(L, 1).value));
  return 1;
}

}  // namespace
}  // namespace dual

void add_dual_type(lua_State* L) {
  using namespace dual;
  constexpr Function functions[] = {{"__add", guarded<binary<sum>>},
                                    {"__sub", guarded<binary<difference>>},
                                    {"__mul", guarded<binary<product>>},
                                    {"__div", guarded<binary<quotient>>},
                                    {"__pow", guarded<binary<power>>},
                                    {"__unm", guarded<unary<negative>>},
                                    {"__lt", guarded<compare<std::less<>>>},
                                    {"__le", guarded<compare<std::less_equal<>>>},
                                    {"__eq", guarded<compare<std::equal_to<>>>},
                                    {"__tostring", guarded<to_text>},
                                    {"__abs", guarded<unary<absolute>>},
                                    {"__acos", guarded<unary<arc_cosine>>},
                                    {"__asin", guarded<unary<arc_sine>>},
                                    {"__atan", guarded<angle_of>},
                                    {"__cos", guarded<unary<cosine>>},
                                    {"__exp", guarded<unary<exponential>>},
                                    {"__log", guarded<log_of>},
                                    {"__max", guarded<extreme<1>>},
                                    {"__min", guarded<extreme<-1>>},
                                    {"__sin", guarded<unary<sine>>},
                                    {"__sqrt", guarded<unary<square_root>>},
                                    {"__tan", guarded<unary<tangent>>}};
  luaL_newmetatable(L, dual_type);
  add_functions(L, functions);
  lua_pushboolean(L, false);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 1);
}

void push_dual(lua_State* L, double value, const Eigen::VectorXd& gradient) {
  const dual::DualView out = dual::push_new(L, value, size_t(gradient.size()));
  std::copy(gradient.begin(), gradient.end(), out.g);
  std::fill_n(out.H, dual::triangle(out.m), 0.0);
}

SecondOrder second_order_at(lua_State* L, int index, const Place& place, Eigen::Index m) {
  if (!dual::is_dual(L, index) && lua_type(L, index) != LUA_TNUMBER)
    place.fail(fmt::format("is a {}; it must be a number", luaL_typename(L, index)));
  const dual::DualView at = dual::dual_at(L, index);
  SecondOrder out{at.value, Eigen::VectorXd::Zero(m), Eigen::MatrixXd::Zero(m, m)};
  if (!at.g) return out;
  if (Eigen::Index(at.m) != m)
    place.fail("is a dual number of another call; do not keep dual numbers between calls");
  std::copy_n(at.g, m, out.gradient.begin());
  for (Eigen::Index i = 0, k = 0; i < m; ++i)
    for (Eigen::Index j = 0; j <= i; ++j, ++k) out.hessian(i, j) = out.hessian(j, i) = at.H[k];
  return out;
}

}  // namespace torsor::lua
