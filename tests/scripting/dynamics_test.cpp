// Tests of arm:dynamics and arm:inverse_kinematics. They return the numbers of the engine, also in
// functions called by a run. Errors are clear.

#include <fmt/format.h>

#include <cmath>
#include <thread>

#include "scripting/scene_run.hpp"
#include "support/random_robot.hpp"
#include "torsor/analysis/operational_space.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

Outcome with_plugins(const std::string& statements, const ScriptLimits& limits = {}) {
  return run(statements, limits, {}, &registry());
}

// The Lua text of a chain with a floating base, a prismatic and a revolute joint, and of functions
// that print numbers.
constexpr const char* arm_lua = R"(
local arm = torsor.robot{ name = "arm" }
local function body(m) return { mass = m, com = {0.1, 0.05, -0.02}, about_com = { Ixx = 0.1 * m, Iyy = 0.12 * m, Izz = 0.09 * m } } end
arm:link{ name = "base", joint = { "floating", name = "free" }, inertia = body(3) }
arm:link{ name = "slide", parent = "base", joint = { "prismatic", name = "rail", axis = {1, 0, 0}, limits = { lower = -1, upper = 1 } },
          origin = { xyz = {0, 0, 0.2}, rpy = {0.3, 0.1, 0} }, inertia = body(1) }
arm:link{ name = "turn", parent = "slide", joint = { "revolute", name = "hinge", axis = {0, 1, 1}, armature = 0.2 },
          origin = { xyz = {0.1, 0, 0.2} }, inertia = body(2) }
arm:frame{ name = "tip", link = "turn", origin = { xyz = {0, 0.1, 0.3}, rpy = {0.2, 0, 0.4} } }
local function flat(x, out)
  out = out or {}
  for _, e in ipairs(x) do if type(e) == "table" then flat(e, out) else out[#out + 1] = string.format("%.17g", e) end end
  return out
end
local function show(x) print(table.concat(flat(x), " ")) end
)";

std::string list(std::span<const double> values) {
  std::string out;
  for (const double x : values) out += fmt::format("{}{:.17g}", out.empty() ? "" : ", ", x);
  return "{" + out + "}";
}

// Returns the model of the robot of arm_lua.
std::shared_ptr<const Model> model_of_robot() {
  return build(
      load_robot_text(std::string("local torsor = require 'torsor'\n") + arm_lua + "return arm"));
}

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

// Compares all quantities of a frame's operational space, of centroidal dynamics and of joint
// wrenches with those of the engine.
// d:evaluate gives, for each state, what the methods for one state give.
TEST(LuaDynamics, EvaluateManyStates) {
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
TEST(LuaDynamics, RollOutManyMotions) {
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

TEST(LuaDynamics, GiveOperationalSpaceAndCentroidalDynamics) {
  const auto model = model_of_robot();
  Random random(2);
  State state(model);
  state.set_q(random_position(random, *model, 1));
  state.v = random_values(random, 8, 2);
  std::string joint_names;
  for (const Joint& joint : model->joints) joint_names += fmt::format("'{}', ", joint.name);
  const Outcome out =
      with_plugins(fmt::format(R"({}
local d, q, v = arm:dynamics(), {}, {}
for _, s in ipairs{{ d:operational_space("tip", q, v), d:operational_space("tip", q, v, {{"x", "z", "ry"}}) }} do
  show{{s.rank}} show(s.Lambda) show(s.Lambda_inverse) show(s.eta) show(s.coriolis) show(s.gravity) show(s.Jdot_v) show(s.Jbar) show(s.null_projector)
  show(s.immovable)
end
show(d:jacobian_derivative("tip", q, v)) show(d:jacobian_derivative("tip", q, v, "world"))
local c = d:centroidal(q, v)
show{{c.mass}} show(c.com) show(c.com_velocity) show(c.com_jacobian) show(c.momentum) show(c.momentum_matrix)
show(c.momentum_matrix_rate) show(c.momentum_bias) show(c.inertia)
for _, W in ipairs{{ d:joint_wrenches(q, v, v), d:joint_wrenches(q, v, v, "world") }} do
  for _, name in ipairs{{ {} }} do show(W[name]) end
end
show(d:imu("tip", q, v, v)))",
                               arm_lua, list(state.q()), list(state.v), joint_names));
  ASSERT_EQ(out.error, "");
  size_t line = 0;
  const auto expect = [&](const Eigen::MatrixXd& A) {
    const Eigen::MatrixXd rows = A.transpose();
    EXPECT_EQ(numbers(out.printed.at(line)),
              std::vector<double>(rows.data(), rows.data() + rows.size()))
        << line;
    ++line;
  };
  Solver solver = registry().solver("articulated_body", model);
  const OperationalSpaces spaces(solver, state);
  const Frame& tip = model->frames[size_t(model->frame("tip"))];
  for (const OperationalSpace& s :
       {spaces.of(tip), spaces.of(tip, {false, true, false, true, false, true})}) {
    EXPECT_EQ(out.printed[line++], std::to_string(s.rank));
    for (const Eigen::MatrixXd& A : {s.Lambda, s.Lambda_inverse}) expect(A);
    for (const Eigen::VectorXd& x : {s.eta(), s.coriolis, s.gravity, s.Jdot_v}) expect(x);
    for (const Eigen::MatrixXd& A : {s.Jbar, s.null_projector}) expect(A);
    expect(s.immovable.transpose());
  }
  for (const Axes axes : {Axes::frame, Axes::world}) expect(jacobian_derivative(state, tip, axes));
  const Centroidal c = centroidal(state);
  const auto three = [](const Vec3<double>& a) { return Eigen::Vector3d(a.x, a.y, a.z); };
  const auto six = [](const Wrench<double>& F) {
    return Eigen::Matrix<double, 6, 1>(F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z);
  };
  expect(Eigen::MatrixXd::Constant(1, 1, c.mass));
  expect(three(c.com)), expect(three(c.com_velocity)), expect(c.com_jacobian),
      expect(six(c.momentum));
  expect(c.A), expect(c.A_dot), expect(six(c.bias));
  const Sym3<double>& I = c.inertia;
  Eigen::Matrix3d inertia;
  inertia << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  expect(inertia);
  const std::vector<Wrench<double>> W = joint_wrenches(state, state.v);
  for (const Axes axes : {Axes::frame, Axes::world})
    for (const Joint& joint : model->joints) expect(six(at_link(state, joint, W, axes)));
  const InertialMeasurement imu = inertial_measurement(state, state.v, tip);
  expect(six({imu.w, imu.a}));
  EXPECT_EQ(line, out.printed.size());
}

TEST(LuaDynamics, RejectInvalidComponents) {
  const char* state =
      "local q, v = {0, 0, 0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 0, 0}\nlocal d = "
      "arm:dynamics()\n";
  const auto error = [&](const char* call) {
    return with_plugins(std::string(arm_lua) + state + call).error;
  };
  EXPECT_THAT(error("d:operational_space('tip', q, v, {'x', 'u'})"),
              HasSubstr("there is no component 'u'"));
  EXPECT_THAT(error("d:operational_space('tip', q, v, {})"), HasSubstr("there are no components"));
  EXPECT_THAT(error("d:operational_space('tip', q, v, 'x')"),
              HasSubstr("the components must be a list such as"));
  EXPECT_THAT(error("d:operational_space('tip', q)"), HasSubstr("takes 4 arguments, not 2"));
  EXPECT_THAT(error("d:operational_space('top', q, v)"), HasSubstr("did you mean 'tip'"));
  EXPECT_THAT(error("d:imu('tip', q, v)"), HasSubstr("takes 4 arguments, not 3"));
  EXPECT_THAT(error("d:imu('top', q, v, v)"), HasSubstr("did you mean 'tip'"));
  EXPECT_THAT(error("for k = 1, 8 do v[k] = 1e308 end\nd:joint_wrenches(q, v, v)"),
              HasSubstr("is not finite"));
}

// Checks that a robot is at the place given by world:add, under the gravity of its world.
TEST(LuaDynamics, UseThePlaceOfTheRobot) {
  const Outcome out = with_plugins(std::string(arm_lua) + R"(
local world = torsor.world{ gravity = {0, 0, -2} }
world:add(arm, { at = { xyz = {1, 2, 3} } })
local d = arm:dynamics()
local q = {0, 0, 0, 1, 0, 0, 0, 0, 0}
show(d:pose("base", q).xyz)
show(d:gravity(q)))");
  ASSERT_EQ(out.error, "");
  EXPECT_EQ(out.printed[0], "1 2 3");
  EXPECT_NEAR(numbers(out.printed[1])[5], 6 * 2, 1e-12);
}

TEST(LuaDynamics, JointRatesMoveTheFrame) {
  const Outcome out = with_plugins(std::string(arm_lua) + R"(
local d = arm:dynamics()
local q = {0, 0, 0, 1, 0, 0, 0, 0.3, 0.7}
local v, vdot = d:joint_rates{ frame = "tip", q = q, twist = { linear = {1, 2, 3} }, acceleration = { linear = {4, 5, 6} },
                               hold = { "rail" } }
local J, b = d:jacobian("tip", q, "world"), d:jacobian_rate("tip", q, v, "world")
for row = 4, 6 do
  local xd, xdd = 0, b[row]
  for k = 1, 8 do xd = xd + J[row][k] * v[k] xdd = xdd + J[row][k] * vdot[k] end
  print(string.format("%.9f %.9f", xd, xdd))
end
print(v[7], vdot[7])
print(select("#", d:joint_rates{ frame = "tip", q = q, twist = { linear = {1, 2, 3} } })))");
  ASSERT_EQ(out.error, "");
  EXPECT_THAT(out.printed,
              testing::ElementsAre("1.000000000 4.000000000", "2.000000000 5.000000000",
                                   "3.000000000 6.000000000", "0.0\t0.0", "1"));
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

// Returns a planar arm of two joints with a control by the given law.
Experiment controlled(const std::string& law) {
  return load_with_plugins(R"(local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
for k = 1, 2 do
  arm:link{ name = "link" .. k, parent = k > 1 and "link1" or nil, joint = { "revolute", name = "joint" .. k, axis = {0, 1, 0} },
            origin = { xyz = {k - 1, 0, 0} }, inertia = { mass = 1, com = {0.5, 0, 0}, about_com = { Ixx = 0, Iyy = 0.1, Izz = 0.1 } } }
end
arm:frame{ name = "tip", link = "link2", origin = { xyz = {1, 0, 0} } }
arm:set{ q = {0.3, 0.5}, v = {1, -2} }
local other = torsor.robot{ name = "other" }
local world = torsor.world()
world:add(arm)
local d = arm:dynamics{ solver = "newton_euler" }
arm:control(function(t, state) local q, v = state.q, state.v )" +
                           law + R"( end, { rate = 1000 })
return world:experiment{ integrator = { "rk4", dt = 1e-3 }, duration = 0.5, record = { "arm.q" } })");
}

// Checks a law that sets the accelerations 1 and -1 by inverse dynamics: each joint moves by v t +
// vdot t^2 / 2. Runs in other threads must have the same bits.
TEST(LuaDynamics, ServeLaws) {
  const Experiment experiment = controlled("return d:inverse(q, v, {1, -1})");
  const auto end = [&] {
    const auto run = finished(experiment);
    const std::span<const double> q = run->simulation().state().q();
    return std::vector<double>(q.begin(), q.end());
  };
  const std::vector<double> q = end();
  // The tolerance is that of torques held for a millisecond.
  EXPECT_NEAR(q[0], 0.3 + 0.5 + 0.125, 1e-2);
  EXPECT_NEAR(q[1], 0.5 - 1 - 0.125, 1e-2);
  std::vector<std::vector<double>> others(2);
  std::vector<std::thread> threads;
  for (auto& other : others) threads.emplace_back([&] { other = end(); });
  for (std::thread& thread : threads) thread.join();
  for (const auto& other : others) EXPECT_EQ(other, q);
}

TEST(LuaDynamics, ServeLawsWithInverseKinematics) {
  const Experiment experiment = controlled(
      "local goal = arm:inverse_kinematics{ frame = 'tip', position = {1, 0, -1}, start = {0.2, 1} "
      "} local w = {} for k = 1, 2 do w[k] = 400 * (goal[k] - q[k]) - 40 * v[k] end return "
      "d:inverse(q, v, w)");
  const auto run = finished(experiment);
  const Model& model = *experiment.model;
  const Vec3<double> p =
      frame_pose(run->simulation().state(), model.frames[size_t(model.frame("tip"))]).p;
  EXPECT_LT(norm(p - Vec3<double>{1, 0, -1}), 1e-2);
}

TEST(LuaDynamics, AreMadeWhileTheSceneIsLoaded) {
  const auto error = [](const std::string& law) -> std::string {
    const Experiment experiment = controlled(law);
    try {
      (void)finished(experiment);
    } catch (const Error& caught) {
      return caught.what();
    }
    return "";
  };
  EXPECT_THAT(error("return arm:dynamics():gravity(q)"),
              HasSubstr("scene.lua:13: a function that builds a scene works only while"));
  EXPECT_THAT(error("return other:inverse_kinematics{ frame = 'x', position = {0, 0, 0} }"),
              HasSubstr("a function that builds a scene works only while"));
  EXPECT_THAT(error("return d:gravity({0})"),
              HasSubstr("scene.lua:13: dynamics of 'arm': q has 1 entries"));
}

// ---- inverse kinematics

constexpr const char* planar = R"(
local arm = torsor.robot{ name = "arm" }
for k = 1, 3 do
  arm:link{ name = "link" .. k, parent = k > 1 and "link" .. k - 1 or nil,
            joint = { "revolute", name = "joint" .. k, axis = {0, 0, 1}, limits = { lower = -2, upper = 2 } },
            origin = { xyz = {k > 1 and 1 or 0, 0, 0} }, massless = true }
end
arm:frame{ name = "tip", link = "link3", origin = { xyz = {1, 0, 0} } }
local function show(q) for k = 1, #q do print(string.format("%.9f", q[k] + 1)) end end
)";

TEST(LuaInverseKinematics, FindsPositionsAndOrientations) {
  // The solution has links along x, then y, then -x. show() adds 1, so that a zero has no sign.
  const Outcome out = run(std::string(planar) + R"(
local q, how = arm:inverse_kinematics{ frame = "tip", pose = { xyz = {0, 1, 0}, rpy_deg = {0, 0, 180} }, start = {0.3, 1, 1.2} }
show(q)
print(how.stop, how.error < 1e-12, #how.residual, #how.limits, how.iterations > 1)
q = arm:inverse_kinematics{ frame = "tip", position = {2, 1, 0}, start = { joint2 = 0.5 }, hold = { joint1 = 0 } }
show(q)
q = arm:inverse_kinematics{ frame = "link1", orientation = { rpy = {0, 0, 0.75} } }
show(q)
q = arm:inverse_kinematics{ frame = "tip", pose = { xyz = {9, 2.2, 0}, rpy = {0, 0, 0.5} }, components = { "y", "rz" },
                            start = {0.4, 0.4, 0.4} }
print(string.format("%.9f %.9f", q[1] + q[2] + q[3], math.sin(q[1]) + math.sin(q[1] + q[2]) + math.sin(0.5))))");
  ASSERT_EQ(out.error, "");
  EXPECT_THAT(
      std::vector(out.printed.begin(), out.printed.begin() + 4),
      testing::ElementsAre("1.000000000", "2.570796327", "2.570796327", "found\ttrue\t6\t0\ttrue"));
  EXPECT_EQ(out.printed[4], "1.000000000");
  EXPECT_EQ(out.printed[7], "1.750000000");
  EXPECT_EQ(out.printed[10], "0.500000000 2.200000000");
}

TEST(LuaInverseKinematics, StatesWhyItFails) {
  const auto error = [](const std::string& said) {
    return run(std::string(planar) + "arm:inverse_kinematics{ frame = 'tip', " + said + " }").error;
  };
  const struct {
    const char *said, *message;
  } cases[] = {
      {"position = {4, 0, 0}, start = {0.1, 0.1, 0.1}",
       "scene.lua:10: inverse kinematics of 'arm': the target of frame 'tip' is out of reach: the "
       "frame stops 1 m from it"},
      {"position = {2.5, 0, 0}",
       "in a singular configuration: it cannot be moved along (rotation 0 0 0, translation -1 0 "
       "0)"},
      {"position = {-2.9, 0, 0}, start = {1, 0.1, 0.1}",
       "at joint limits: the upper limit of joint 'joint1'"},
      {"position = {1, 1, 0}, start = {0, 0, 3}",
       "the start is outside the limits of joint 'joint3': 3 is above the upper limit 2"},
      {"position = {1, 1, 0}, start = {0, 0}",
       "start has 2 entries; it must be a list of 3 numbers"},
      {"position = {1, 1, 0}, hold = { joint4 = 0 }",
       "hold.joint4 is unknown: there is no joint 'joint4'; did you mean 'joint1'?"},
      {"position = {1, 1, 0}, components = { 'rz' }",
       "the component 'rz' is requested, but the target does not contain it"},
      {"position = {1, 1, 0}, components = { 'w' }",
       "there is no component 'w'; the components are rx, ry, rz, x, y, z"},
      {"position = {1, 1, 0}, components = {}", "there are no components"},
      {"position = {1, 1}", "position has 2 entries"},
      {"position = {1, 1, 0 / 0}", "position[3] is NaN"},
      {"orientation = { xyz = {0, 0, 0}, rpy = {0, 0, 0} }",
       "orientation has xyz; use 'pose' for position and orientation"},
      {"pose = { rpy = {0, 0, 0} }",
       "pose has no xyz; use 'orientation' for an orientation without position"},
      {"pose = { xyz = {0, 0, 0} }",
       "pose has no rotation; use 'position' for a position without orientation"},
      {"pose = { xyz = {0, 0, 0} }, position = {0, 0, 0}", "has both pose and position"},
      {"tolerance = 0, position = {0, 0, 0}", "tolerance is 0; it must be positive"},
      {"max_iterations = 1e9, position = {0, 0, 0}", "it must be a whole number from 1 to 10000"},
      {"max_iterations = 1, start = {1, 1, 1}, position = {0.5, 0.5, 0}",
       "from its target after 1 iterations; another start or more iterations may reach it"},
      {"positon = {0, 0, 0}", "unknown key 'positon'; did you mean 'position'?"},
  };
  for (const auto& c : cases) EXPECT_THAT(error(c.said), HasSubstr(c.message)) << c.said;
  EXPECT_THAT(
      run(std::string(planar) + "arm:inverse_kinematics{ frame = 'tipp', position = {0, 0, 0} }")
          .error,
      HasSubstr("scene.lua:10: inverse kinematics of 'arm': there is no link or frame 'tipp'; did "
                "you mean 'tip'?"));
  EXPECT_EQ(run(std::string(planar) + "arm:inverse_kinematics{ position = {0, 0, 0} }").error,
            "scene.lua:10: inverse kinematics of 'arm': frame is missing");
  const Outcome tried = run(std::string(planar) + R"(
local q, how = arm:inverse_kinematics{ frame = "tip", position = {-2.9, 0, 0}, start = {1, 0.1, 0.1}, required = false }
print(how.stop, how.limits[1].joint, how.limits[1].side, q[1], how.error > 0.1))");
  ASSERT_EQ(tried.error, "");
  EXPECT_EQ(tried.printed[0], "at_limits\tjoint1\tupper\t2.0\ttrue");
}

}  // namespace
}  // namespace torsor::test
