// Tests of the methods of arm:dynamics for many states: evaluate and rollouts.

#include "scripting/dynamics_arm.hpp"

namespace torsor::test {
namespace {

// d:evaluate gives, for each state, what the methods for one state give.
TEST(LuaBatchDynamics, EvaluateManyStates) {
  const Outcome told = with_plugins(std::string(arm_lua) + R"(
for _, solver in ipairs{ "newton_euler", "articulated_body", "lie_group" } do
  local d = arm:dynamics{ solver = solver }
  local q, v, x = {}, {}, {}
  for k = 1, 5 do
    q[k] = {0.1 * k, 0, 0, 1, 0, 0, 0, 0.2, 0.3 * k}
    v[k] = {k, 0, 0.1, 0, 0.3, 0, 1, -k}
    x[k] = {1, k, 0, 0, 2, 0, 3, 0.1 * k}
  end
  local r = d:evaluate{ q = q, v = v, vdot = x, tau = x,
                        quantities = { "inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity" } }
  local worst = 0
  local function compare(a, b)
    a, b = flat(a), flat(b)
    assert(#a == #b)
    for i = 1, #a do worst = math.max(worst, math.abs(a[i] - b[i]) / (1 + math.abs(a[i]))) end
  end
  for k = 1, 5 do
    compare(r.inverse_dynamics[k], d:inverse(q[k], v[k], x[k]))
    compare(r.forward_dynamics[k], d:forward(q[k], v[k], x[k]))
    compare(r.mass_matrix[k], d:mass_matrix(q[k]))
    compare(r.gravity[k], d:gravity(q[k]))
  end
  print(worst < 1e-11)
end
local d = arm:dynamics{ solver = "newton_euler" }
local q, v = {0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 1, 2}
local r = d:evaluate{ q = { q }, v = { v }, quantities = { "inverse_dynamics_partials" } }
local dq, dv = d:inverse_partials(q, v, {0, 0, 0, 0, 0, 0, 0, 0})
print(math.abs(r.dtau_dv[1][3][8] - dv[3][8]) < 1e-12 and dv[3][8] ~= 0)
)");
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.printed, (std::vector<std::string>{"true", "true", "true", "true"}));
}

// A mass of 8 kg in free space falls by g t^2 / 2, and a constant force moves it by F t^2 / 2 m.
TEST(LuaBatchDynamics, RollOutManyMotions) {
  const Outcome told = with_plugins(R"(
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "mass", joint = { "prismatic", name = "rail", axis = {0, 0, 1} },
  inertia = { mass = 8, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
local d = arm:dynamics{ gravity = {0, 0, -10} }
local r = d:rollouts{ q = { {0}, {1} }, v = { {0}, {2} }, duration = 0.5, dt = 0.01, integrator = "rk4", sample_every = 25 }
print(#r.q, #r.q[1], string.format("%.9f %.9f %.9f", r.q[1][3][1], r.q[2][3][1], r.v[2][2][1]))
r = d:rollouts{ q = { {0} }, tau = { { {80}, {160} } }, dt = 0.1, integrator = "rk4" }
print(string.format("%.9f %.9f", r.q[1][2][1], r.q[1][3][1]))
local fixed = torsor.robot{ name = "fixed" }
fixed:link{ name = "base", joint = { "fixed" }, massless = true }
r = fixed:dynamics{}:rollouts{ q = { {}, {} }, dt = 0.1, duration = 0.3 }
print(#r.q, #r.q[2], #r.q[2][4])
)");
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.printed, (std::vector<std::string>{"2\t3\t-1.250000000 0.750000000 -0.500000000",
                                                    "0.000000000 0.050000000", "2\t4\t0"}));
}

}  // namespace
}  // namespace torsor::test
