// Tests of the quantities of arm:dynamics that refer to frames and to the place of the robot.

#include "scripting/dynamics_arm.hpp"
#include "support/random_robot.hpp"
#include "torsor/analysis/operational_space.hpp"
#include "torsor/mechanics/centroidal.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;

// Compares all quantities of a frame's operational space, of centroidal dynamics and of joint
// wrenches with those of the engine.
TEST(LuaFrameDynamics, GiveOperationalSpaceAndCentroidalDynamics) {
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

TEST(LuaFrameDynamics, RejectInvalidComponents) {
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
TEST(LuaFrameDynamics, UseThePlaceOfTheRobot) {
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

TEST(LuaFrameDynamics, JointRatesMoveTheFrame) {
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

}  // namespace
}  // namespace torsor::test
