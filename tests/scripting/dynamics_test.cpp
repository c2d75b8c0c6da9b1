// Tests of arm:dynamics for one state: it returns the numbers of the engine. Errors are clear.

#include <fmt/format.h>

#include <cmath>

#include "scripting/dynamics_arm.hpp"
#include "support/random_robot.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// Checks h_ijk of the planar arm of unit masses and lengths, and its bounds: h_112 = dM_11/dq_2 =
// -2 s, h_211 = -1/2 dM_11/dq_2 = s.
TEST(LuaDynamics, GiveVelocityCoefficientsAndBounds) {
  const Outcome told = with_plugins(R"(
local arm = require("robots.planar").build{}
local world = torsor.world{ gravity = {0, -9.81, 0} }
world:add(arm)
local d = arm:dynamics{}
local h = d:velocity_coefficients{0.3, 0.5}
print(string.format("%.12f %.12f %.12f", h[1][1][2], h[1][2][1], h[2][1][1]))
local b = d:bounds{}
print(string.format("%.6f %.6f %.6f %.6f", b.a[1].value, b.a[3].value, b.a[6].value, b.within_limits.M_least.value))
print(#b.a[1].q, #b.a))");
  EXPECT_EQ(told.error, "");
  const double s = std::sin(0.5);
  EXPECT_EQ(told.printed[0], fmt::format("{:.12f} {:.12f} {:.12f}", -2 * s, 0.0, s));
  EXPECT_EQ(told.printed[1], "5.828427 0.000000 31.021944 0.171573");
  EXPECT_EQ(told.printed[2], "2\t8");
}

TEST(LuaDynamics, AnalysesAJointUnderPid) {
  const Outcome told = with_plugins(R"(
local tuned = torsor.joint_loop{ inertia = 2, viscous = 1, pole = 5 }
print(tuned.kp, tuned.kd, tuned.ki, tuned.stability, #tuned.poles, tuned.poles[3][1], tuned.poles[3][2])
local pd = torsor.joint_loop{ inertia = 1, kp = 9, kd = 6 }
print(#pd.poles, pd.gain_margin, pd.overshoot < 1e-9, pd.denominator[3])
local bad = torsor.joint_loop{ inertia = 1, kp = 1, ki = 5 }
print(bad.stability, bad.overshoot, bad.settling)
print(torsor.joint_loop{ inertia = 1 }.stability))");
  EXPECT_EQ(told.error, "");
  EXPECT_EQ(told.printed[0], "150.0\t29.0\t250.0\tstable\t3\t-5.0\t0.0");
  EXPECT_EQ(told.printed[1], "2\tnil\ttrue\t9.0");
  EXPECT_EQ(told.printed[2], "unstable\tnil\tnil");
  EXPECT_EQ(told.printed[3], "marginal");
  for (const auto& [call, message] :
       {std::pair{"torsor.joint_loop{ kp = 1 }", "inertia is missing"},
        {"torsor.joint_loop{ inertia = 0, kp = 1 }", "it must be positive"},
        {"torsor.joint_loop{ inertia = 1, pole = 2, kp = 1 }", "both pole and kp are given"},
        {"torsor.joint_loop{ inertia = 1, pole = 2, order = 4 }", "order must be 2 or 3"},
        {"torsor.joint_loop{ inertia = 1, kp = 1, order = 2 }", "order is that of a pole"},
        {"torsor.joint_loop{ inertia = 1e-300, kp = 1e300, kd = 1e300, ki = 1e300 }",
         "their ratio must be below 1e+50"},
        {"torsor.joint_loop{ inertia = 1, pole = -2 }", "give a positive number"},
        {"torsor.joint_loop{ inertia = 1, viscous = 100, pole = 2 }", "choose a faster pole"},
        {"torsor.joint_loop{ inertia = 1, kq = 1 }", "kq"},
        {"torsor.joint_loop()", "torsor.joint_loop"},
        {"local arm = require('robots.planar').build{} local d = arm:dynamics{} "
         "d:bounds{ length = 0 }",
         "it must be positive"},
        {"local arm = require('robots.planar').build{} local d = arm:dynamics{} "
         "d:velocity_coefficients{1}",
         "q"}})
    EXPECT_THAT(with_plugins(call).error, HasSubstr(message)) << call;
}

// Compares the derivatives with those of the engine. The closed form agrees to rounding.
TEST(LuaDynamics, GiveDerivatives) {
  const auto model = model_of_robot();
  Random random(2);
  State state(model);
  state.set_q(random_position(random, *model, 1));
  state.v = random_values(random, 8, 2);
  const std::vector<double> a = random_values(random, 8, 3);
  const Outcome out = with_plugins(fmt::format(R"({}
local d, e = arm:dynamics{{ solver = "newton_euler" }}, arm:dynamics{{ solver = "lie_group" }}
local q, v, a = {}, {}, {}
for _, x in ipairs{{ d:inverse_rates(q, v, a, v, a) }} do show(x) end
local all = e:equation_rates(q, v, a, v, a)
for k = 1, 3 do show(all.tau[k]) end
show(all.M[1]) show(d:mass_matrix(q))
local dq, dv = d:inverse_partials(q, v, a) show(dq) show(dv)
local fq, fv, ft = d:forward_partials(q, v, a) show(fq) show(fv) show(ft)
local qq, vq, vv, Mq = d:second_partials(q, v, a) show(qq) show(vq) show(vv) show(Mq)
show(d:christoffel(q)) print(select("#", d:inverse_rates(q, v, a, v, a, v, a))) print(select("#", d:inverse_rates(q, v, a))))",
                                               arm_lua, list(state.q()), list(state.v), list(a)));
  ASSERT_EQ(out.error, "");
  ASSERT_EQ(out.printed.size(), 20u);
  size_t line = 0;
  const auto next = [&] { return numbers(out.printed[line++]); };
  const auto expect = [&](const std::vector<double>& values) { EXPECT_EQ(next(), values) << line; };
  Solver solver = registry().solver("newton_euler", model);
  std::vector<double> motion = a, tau(24), first(64), second(64), third(64);
  motion.insert(motion.end(), state.v.begin(), state.v.end());
  motion.insert(motion.end(), a.begin(), a.end());
  ASSERT_TRUE(solver.rates(state, {2, motion.data()}, tau.data()));
  for (size_t k = 0; k < 3; ++k) expect({tau.begin() + long(8 * k), tau.begin() + long(8 * k + 8)});
  for (size_t k = 0; k < 3; ++k) {
    const std::vector<double> closed = next();
    for (size_t i = 0; i < 8; ++i)
      EXPECT_NEAR(closed[i], tau[8 * k + i], 1e-9 * (1 + std::abs(tau[8 * k + i])));
  }
  const std::vector<double> closed_M = next(), M = next();
  for (size_t k = 0; k < 64; ++k) EXPECT_NEAR(closed_M[k], M[k], 1e-13);
  ASSERT_TRUE(solver.inverse_partials(state, a.data(), {first.data(), second.data()}));
  expect(first), expect(second);
  ASSERT_TRUE(
      solver.forward_partials(state, a.data(), {first.data(), second.data(), third.data()}));
  expect(first), expect(second), expect(third);
  std::vector<double> cubes[4];
  for (auto& cube : cubes) cube.resize(512);
  ASSERT_TRUE(solver.second_partials(
      state, a.data(), {cubes[0].data(), cubes[1].data(), cubes[2].data(), cubes[3].data()}));
  for (const auto& cube : cubes) expect(cube);
  ASSERT_TRUE(solver.evaluate(Quantity::christoffel_symbols, state, nullptr, cubes[0].data()));
  expect(cubes[0]);
  EXPECT_EQ(out.printed[18] + out.printed[19], "51");
}

TEST(LuaDynamics, GiveTheNumbersOfTheEngine) {
  const auto model = model_of_robot();
  Random random(1);
  State state(model);
  state.set_q(random_position(random, *model, 1));
  state.set_gravity({1, -2, 3});
  const std::vector<double> v = random_values(random, 8, 2), given = random_values(random, 8, 3);
  const Outcome out = with_plugins(fmt::format(R"({}
local d = arm:dynamics{{ solver = "newton_euler", gravity = {{1, -2, 3}} }}
local q, v, x = {}, {}, {}
show(d:bias(q, v)) show(d:coriolis(q, v)) show(d:inverse(q, v, x)) show(d:forward(q, v, x)) show(d:mass_matrix(q)) show(d:gravity(q))
show(d:jacobian("tip", q)) show(d:jacobian("tip", q, "world")) show(d:jacobian_rate("tip", q, v)) show(d:jacobian_rate("tip", q, v, "world"))
show(d:pose("tip", q).xyz) show(d:pose("tip", q).rotation) show(d:integrate(q, x)) show(d:difference(q, d:integrate(q, v))))",
                                               arm_lua, list(state.q()), list(v), list(given)));
  ASSERT_EQ(out.error, "");
  ASSERT_EQ(out.printed.size(), 14u);
  size_t line = 0;
  const auto expect = [&](std::span<const double> values) {
    EXPECT_EQ(numbers(out.printed[line]), std::vector<double>(values.begin(), values.end()))
        << line;
    ++line;
  };
  Solver solver = registry().solver("newton_euler", model);
  const auto expect_solved = [&](Quantity quantity) {
    std::vector<double> values(entries(quantity, 8));
    EXPECT_TRUE(bool(solver.evaluate(quantity, state, given.data(), values.data())));
    expect(values);
  };
  state.v = v;
  for (const Quantity quantity :
       {Quantity::bias, Quantity::coriolis_matrix, Quantity::inverse, Quantity::forward})
    expect_solved(quantity);
  // The calls without an argument v use v = 0.
  state.v.assign(8, 0.0);
  expect_solved(Quantity::mass_matrix);
  expect_solved(Quantity::gravity);
  const Frame& tip = model->frames[size_t(model->frame("tip"))];
  for (const Axes axes : {Axes::frame, Axes::world}) {
    const Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::RowMajor> J =
        frame_jacobian(state, tip, axes);
    expect({J.data(), size_t(J.size())});
  }
  state.v = v;
  for (const Axes axes : {Axes::frame, Axes::world}) {
    const Twist<double> a = jacobian_rate(state, tip, axes);
    expect(std::vector{a.w.x, a.w.y, a.w.z, a.v.x, a.v.y, a.v.z});
  }
  const Pose<double> X = frame_pose(state, tip);
  expect(std::vector{X.p.x, X.p.y, X.p.z});
  expect(X.R.m);
  std::vector<double> moved(9);
  integrate(*model, state.q().data(), given.data(), 1, moved.data());
  expect(moved);
  const std::vector<double> d = numbers(out.printed[line]);
  for (size_t k = 0; k < 8; ++k) EXPECT_NEAR(d[k], v[k], 1e-12);
}

TEST(LuaDynamics, HaveClearErrors) {
  const struct {
    const char *said, *message;
  } cases[] = {
      {"d:mass_matrix({1, 2})",
       "scene.lua:17: dynamics of 'arm': q has 2 entries; it must be a list of 9 numbers"},
      {"d:mass_matrix(q, v)",
       "scene.lua:17: dynamics of 'arm': d:mass_matrix(q) takes 1 arguments, not 2"},
      {"d.mass_matrix(q)",
       "d:mass_matrix(q) is not called on a dynamics; write a colon, not a dot"},
      {"d:bias(q, {1, 2, 3, 0 / 0, 0, 0, 0, 0})",
       "scene.lua:17: dynamics of 'arm': v[4] is NaN; it must be a finite number"},
      {"d:inverse(q, v, 'x')",
       "dynamics of 'arm': vdot is the string 'x'; it must be a list of 8 numbers"},
      {"d:gravity({0, 0, 0, 2, 0, 0, 0, 0, 0})",
       "scene.lua:17: dynamics of 'arm': q is not a position: joint 'free': the quaternion"},
      {"d:pose('tipp', q)",
       "scene.lua:17: dynamics of 'arm': there is no link or frame 'tipp'; did you mean 'tip'?"},
      {"d:pose(q, 'tip')",
       "dynamics of 'arm': q is the string 'tip'; it must be a list of 9 numbers"},
      {"d:jacobian(nil, q)", "dynamics of 'arm': the frame is a nil; give its name"},
      {"d:jacobian('tip', q, 'body')",
       "dynamics of 'arm': unknown axes; use \"frame\" or \"world\""},
      {"d:inertia(q)", "'dynamics.inertia' does not exist"},
      {"d:evaluate{ q = { q }, quantities = { 'inverse_dynamic' } }",
       "evaluate in dynamics of 'arm': 'inverse_dynamic' is not a quantity of many states; did you "
       "mean 'inverse_dynamics'?"},
      {"d:evaluate{ q = {}, quantities = { 'gravity' } }",
       "evaluate in dynamics of 'arm': q must have the positions of one state or more"},
      {"d:evaluate{ q = { q, q }, v = { v }, quantities = { 'gravity' } }",
       "evaluate in dynamics of 'arm': v has 1 states, and q has 2"},
      {"d:evaluate{ q = { q, {1} }, quantities = { 'gravity' } }",
       "evaluate in dynamics of 'arm': q[2] has 1 entries; it must be a list of 9 numbers"},
      {"d:rollouts{ q = { q }, dt = 0.1, integrator = 'rk4' }",
       "rollouts in dynamics of 'arm': give tau, a list of torques per step for each state, or "
       "duration"},
      {"d:rollouts{ q = { q }, dt = 0.1, tau = { { v }, { v } } }", "each of the 1 states needs 1"},
      {"d:rollouts{ q = { q }, dt = 0.1, tau = { 5 } }",
       "tau must be a list with a list of torques per step for each state"},
      {"local row, step = {}, {}\n"
       "for t = 1, 20000 do row[t] = v end\n"
       "for k = 1, 20000 do step[k], v[k] = row, q end\n"
       "d:rollouts{ q = v, dt = 0.1, tau = step }",
       "20000 motions of 20000 steps of 8 degrees of freedom"},
      {"d:rollouts{ q = { q }, dt = 0.1, duration = 1, integrator = 'bdf' }",
       "rollouts need an integrator with a fixed step"},
      {"arm:dynamics{ solver = 'newton_eular' }",
       "there is no solver 'newton_eular'; did you mean 'newton_euler'?"},
      {"local d, q, v = arm:dynamics{ solver = 'lie_group' }, {0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, "
       "0, 0, 0, 0, 0, 0}\n"
       "d:inverse_rates(q, v, v, v, v, v)",
       "solver 'solver.lie_group' offers derivatives of torques up to order 2; order 3 is "
       "requested"},
      {"local d, q, v = arm:dynamics(), {0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}\n"
       "d:inverse_rates(q, v)",
       "takes three arguments or more"},
      {"arm:dynamics{ solvr = 'x' }",
       "scene.lua:17: dynamics of 'arm': unknown key 'solvr'; did you mean 'solver'?"},
      {"arm:link{ name = 'more', massless = true }",
       "scene.lua:17: arm:link{...}: the dynamics, kinematics or a trajectory of robot 'arm' are "
       "already in use; change the robot before them"},
      {"torsor.world():add(arm, { at = { xyz = {1, 0, 0} } })",
       "scene.lua:17: the dynamics or kinematics of robot 'arm' are already in use; call world:add "
       "before them"},
      {"d:regressor(q, v, v, { rotors = true })",
       "scene.lua:17: regressor in dynamics of 'arm': unknown key 'rotors'; did you mean 'rotor'?"},
      {"arm:base_parameters{ friction = 1 }",
       "base parameters of 'arm': friction is 1; it must be true or false"},
      {"d:joint_rates{ frame = 'tip', q = q, twist = { linear = {1, 0, 0} }, acceleration = { "
       "angular = {1, 0, 0} } }",
       "joint_rates in dynamics of 'arm': acceleration must have the same parts"},
      {"d:joint_rates{ frame = 'tip', q = q, twist = { linear = {1, 0, 0} }, acceleration = { "
       "linear = {1, 0, 0} }, hold = { 'free' } }",
       "frame 'tip' cannot be moved along (rotation 0 0 0, translation"},
      {"d:joint_rates{ frame = 'tip', q = q, twist = { linear = {1, 0, 0} }, acceleration = { "
       "linear = {1, 0, 0} }, components = { 'rx' } }",
       "components is wrong: the component 'rx' is requested, but the target does not contain it"},
  };
  for (const auto& c : cases)
    EXPECT_THAT(with_plugins(std::string(arm_lua) +
                             "local d, q, v = arm:dynamics(), {0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, "
                             "0, 0, 0, 0, 0, 0}\n" +
                             c.said)
                    .error,
                HasSubstr(c.message))
        << c.said;
  EXPECT_THAT(run(std::string(arm_lua) + "arm:dynamics()").error,
              HasSubstr("dynamics of 'arm': plugins are not available where this scene is loaded"));
}

// Checks the regressor, its parameters and the base parameters.
TEST(LuaDynamics, AreLinearInParameters) {
  const Outcome out = with_plugins(std::string(arm_lua) + R"(
local d, q = arm:dynamics{}, {1, 2, 3, 1, 0, 0, 0, 0.1, 0.2}
local v, vdot = {1, 2, 3, 4, 5, 6, 7, 8}, {8, 7, 6, 5, 4, 3, 2, 1}
local Y, names, values = d:regressor(q, v, vdot)
print(#Y, #names, names[1], names[31], values[31])
local _, all = d:regressor(q, v, vdot, { friction = true, rotor = false })
print(#all, all[31])
local tau = d:inverse(q, v, vdot)
for i, row in ipairs(Y) do
  local sum = 0
  for p, y in ipairs(row) do sum = sum + y * values[p] end
  assert(math.abs(sum - tau[i]) < 1e-10)
end
local base = arm:base_parameters{}
print(base.rank, #base.names, #base.values, #base.units, base.relations[1], #base.without_effect)
print(arm:base_parameters{ rotor = false, friction = true }.rank)
)");
  ASSERT_EQ(out.error, "");
  ASSERT_EQ(out.printed.size(), 4u);
  EXPECT_EQ(out.printed[0], "8\t31\tbase.M\thinge.Ia\t0.2");
  EXPECT_EQ(out.printed[1], "34\trail.Fv");
  // There are 10 parameters per link, minus 6 for the prismatic and 3 for the revolute joint, plus
  // the rotor.
  EXPECT_THAT(out.printed[2], testing::StartsWith("22\t22\t22\t22\tbase.XXR = base.XX + "));
  EXPECT_EQ(out.printed[3], "25");
}

TEST(LuaDynamics, NameTheJointOfASingularMassMatrix) {
  EXPECT_THAT(with_plugins(R"(local r = torsor.robot{ name = "r" }
r:link{ name = "a", joint = { "revolute", name = "hinge", axis = {0, 0, 1} }, massless = true }
r:dynamics():forward({0}, {0}, {1}))")
                  .error,
              HasSubstr("hinge"));
}

TEST(LuaDynamics, TakeSteps) {
  EXPECT_THAT(with_plugins(std::string(arm_lua) + R"(
local d, q = arm:dynamics(), {0, 0, 0, 1, 0, 0, 0, 0, 0}
for i = 1, 1e5 do d:mass_matrix(q) end)",
                           {.steps = 10'000'000})
                  .error,
              HasSubstr("look for a loop that never ends"));
}

}  // namespace
}  // namespace torsor::test
