// Tests of the methods of arm:dynamics for closed mechanisms, and of controllers with the model of
// a closed mechanism.

#include <cmath>

#include "scripting/scene_run.hpp"
#include "torsor/constraints/loops/constrained_dynamics.hpp"

namespace torsor::test::constrained {
namespace {

using testing::HasSubstr;

// A chain of bars from {0, 0, 0} to {ground, 0, 0}, turning about y. Both ends are on the ground;
// `motors` names the joints that are not passive. Lengths are those of the bars.
std::string chain(const std::string& lengths, double ground, const std::string& motors,
                  const std::string& body) {
  return "local torsor = require 'torsor' local bar = torsor.robot{ name = 'bar' } "
         "local motors = {} for _, m in ipairs{" +
         motors + "} do motors[m] = true end local L = {" + lengths +
         "} for k = 1, #L - 1 do bar:link{ name = 'l' .. k, parent = k > 1 and 'l' .. (k - 1) or "
         "nil, joint = { 'revolute', name = 'j' .. k, axis = {0, 1, 0}, passive = not motors['j' "
         ".. k] }, origin = { xyz = {k > 1 and L[k - 1] or 0, 0, 0} }, inertia = { mass = 1, com = "
         "{L[k] / 2, 0, 0}, about_com = { Ixx = 0.01, Iyy = 0.01, Izz = 0.01 } } } end "
         "local n = #L bar:link{ name = 'last', joint = { 'revolute', name = 'last_joint', axis = "
         "{0, 1, 0}, passive = not motors.last_joint }, origin = { xyz = {" +
         std::to_string(ground) +
         ", 0, 0} }, inertia = { mass = 1, com = {L[n] / 2, 0, 0}, about_com = { Ixx = 0.01, Iyy = "
         "0.01, Izz = 0.01 } } } bar:frame{ name = 'a', link = 'l' .. (n - 1), origin = { xyz = "
         "{L[n - 1], 0, 0} } } bar:frame{ name = 'b', link = 'last', origin = { xyz = {L[n], 0, 0} "
         "} } bar:close{ 'revolute', name = 'pin', between = { 'a', 'b' }, axis = {0, 1, 0} } "
         "local function near(a, b) assert(math.abs(a - b) < 1e-9 * (1 + math.abs(b)), a .. ' is "
         "not ' .. b) end\n" +
         body;
}
constexpr const char* empty_end =
    "\nlocal w = torsor.world{} w:add(bar) return w:experiment{ integrator = { 'rk4', dt = 0.001 "
    "}, duration = 0.001, record = { "
    "'bar.q' } }";

std::string message_of(const std::string& body) {
  const ScriptFolder folder;
  try {
    (void)load_scene(
        folder.write("scene.lua", chain("0.3, 0.8, 0.6", 0.9, "'j1'", body + empty_end)), {},
        &registry());
  } catch (const Error& error) {
    const std::string message = error.what();
    const size_t at = message.find("dynamics of 'bar'");
    return at == message.npos ? message : message.substr(at);
  }
  return "none";
}

TEST(SceneConstrainedDynamics, ReturnsTheQuantitiesOfAFourBar) {
  EXPECT_EQ(
      message_of(
          "local d = bar:dynamics{ solver = 'newton_euler' } "
          "local q, v = d:assemble{ q = {-0.4, -0.2, -1.7}, v = {2, 0, 0}, hold = { 'j1' } } "
          "assert(q[1] == -0.4 and v[1] == 2) "
          "local c = d:constraints(q, v) "
          "assert(#c.rows == 5 and c.rows[1] == 'pin.1' and c.units[5] == 'rad' and c.rank == 2 "
          "and c.mobility == 1 and c.redundant.pin == 3 and c.independent[1] == 'j1' and "
          "#c.actuated == 1 and c.unactuated == '') "
          "for _, e in ipairs(c.error) do assert(math.abs(e) < 1e-12) end "
          "local tau, vdot, F, W = d:constrained_inverse(q, v, {3, 0, 0}) "
          "assert(vdot[1] == 3 and tau[2] == 0 and tau[3] == 0) "
          "near(W.j1[2], tau[1]) near(W.j2[2], 0) near(W.last_joint[2], 0) "
          "local U = d:joint_wrenches(q, v, {3, 0, 0}) "
          "local again, G, lambda, V = d:constrained_forward(q, v, tau) "
          "for name, wrench in pairs(W) do for k = 1, 6 do near(U[name][k], wrench[k]) "
          "near(V[name][k], wrench[k]) end end "
          "for k = 1, 3 do near(again[k], vdot[k]) end "
          "for k = 1, 6 do near(F.pin[k], G.pin[k]) end assert(#lambda == 5) "
          "local r = d:reduced_dynamics(q, v) "
          "near(r.M[1][1] * 3 + r.bias[1], tau[1]) near(r.transfer[2][1] * 2, v[2]) "
          "near(r.transfer[3][1] * 3 + r.gamma[3], vdot[3]) "
          "local dq, dv, dtau, names = d:constrained_partials(q, v, tau) "
          "near(dtau[1][1], 1 / r.M[1][1]) assert(names[1] == 'j1' and #dq == 3 and #dv[1] == 1)"),
      "none");
}

TEST(SceneConstrainedDynamics, RejectsWrongArguments) {
  const std::string start =
      "local d = bar:dynamics{} local q, v = d:assemble{ q = {-0.4, -0.2, -1.7}, v = {2, 0, 0}, "
      "hold = { 'j1' } } ";
  EXPECT_THAT(message_of(start + "d:constrained_forward({-0.4, 0, 0}, v, {0, 0, 0})"),
              HasSubstr("dynamics of 'bar': the closure 'pin' is open by "));
  EXPECT_THAT(message_of(start + "d:joint_wrenches({-0.4, 0, 0}, v, {0, 0, 0})"),
              HasSubstr("dynamics of 'bar': the closure 'pin' is open by "));
  EXPECT_THAT(message_of(start + "d:constrained_forward(q, {2, 0, 0}, {0, 0, 0})"),
              HasSubstr("dynamics of 'bar': the given velocities move 'pin' apart by"));
  EXPECT_THAT(
      message_of(start + "d:constraints(q, v, { independent = { 'j1', 'j2' } })"),
      HasSubstr("independent: 2 joint coordinates given, and the mechanism has the mobility "
                "1 here"));
  EXPECT_THAT(message_of(start + "d:constraints(q, v, { actuated = { 'j7' } })"),
              HasSubstr("actuated: there is no joint or degree of freedom 'j7'"));
  EXPECT_THAT(message_of(start + "d:assemble{ q = {0, 0, 0}, hold = { 'j1', 'j2' } }"),
              HasSubstr("the loops cannot be closed from the start position: the closure 'pin'"));
  EXPECT_THAT(message_of(start + "d:constrained_partials(q, v)"),
              HasSubstr("takes 4 arguments, not 2"));
}

// The legs of a Stewart platform move it in all directions. The tips of two legs keep their
// distance, so that the joints of these legs depend on each other.
TEST(StewartPlatform, IsInvertedByItsLegs) {
  const Experiment scene =
      load_scene(TORSOR_SOURCE_DIR "/scenes/stewart_platform.lua", {}, &registry());
  Solver solver = registry().solver("newton_euler", scene.model);
  const Model& model = *scene.model;
  State state(scene.model);
  std::vector<double> q = scene.q;
  const Eigen::VectorXd move = Eigen::VectorXd::LinSpaced(model.n_v, -0.05, 0.05);
  integrate(model, q.data(), move.data(), 1, q.data());
  state.set_q(q);
  std::copy_n(move.data(), move.size(), state.v.begin());
  ConstrainedDynamics::assemble(solver, state, {});
  const std::vector<std::string> legs{"leg1", "leg2", "leg3", "leg4", "leg5", "leg6"};
  const std::vector<int> dofs = dofs_named(model, legs, "actuated");
  ConstrainedDynamics dynamics(model, {.independent = dofs, .actuated = dofs});
  dynamics.evaluate(solver, state);
  dynamics.require_closed();
  EXPECT_EQ(dynamics.motions().mobility(), 6);
  EXPECT_EQ(dynamics.unactuated_motion(), "");
  const auto motion = dynamics.inverse(20 * move);
  EXPECT_LT((dynamics.forward(motion.tau).vdot - motion.vdot).norm(), 1e-10 * motion.vdot.norm());
  EXPECT_NEAR(motion.tau.norm(), motion.tau(dofs).norm(), 0);

  const std::vector<std::string> two_legs{"hip1_1", "hip1_2", "leg1", "hip2_1", "hip2_2", "leg2"};
  ConstrainedDynamics dependent(model, {.independent = dofs_named(model, two_legs, "independent")});
  try {
    dependent.evaluate(solver, state);
    ADD_FAILURE() << "dependent joints are accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("depend on each other or cannot move here; use for"));
  }
}

// Returns the largest error of the joints in these columns of a run with a control.
double largest_error(const std::string& mechanism, const std::string& control,
                     std::initializer_list<size_t> columns) {
  const std::string end =
      " local w = torsor.world{ gravity = {0, 0, -9.81} } w:add(bar) return w:experiment{ "
      "integrator = { 'rk4', dt = 0.001 }, duration = 0.5, record = { 'bar.law.error' } }";
  Experiment made = load_with_plugins(mechanism + control + end);
  if (!made.plugins) set_plugins(made, std::make_shared<const Registry>(registry()));
  Run run(made);
  double worst = 0;
  run.execute(
      [&](std::span<const double> row) {
        for (const size_t column : columns) worst = std::max(worst, std::abs(row[column]));
      },
      [](const Simulation&) { return true; });
  return worst;
}

// Computed torque with the exact model keeps the error at zero, up to the errors of the integrator.
// Joints without motors need no reference.
TEST(ClosedMechanismControl, TracksWithComputedTorque) {
  EXPECT_LT(
      largest_error(chain("0.3, 0.8, 0.6", 0.9, "'j1'",
                          "bar:set{ q = {-0.4, -0.2, -1.7}, v = {2, 0, 0}, hold = { 'j1' } } "),
                    "bar:control('computed_torque', { name = 'law', frequency = 10, reference = "
                    "function(t) return { q = {-0.4 + 2 * t, 0, 0}, v = {2, 0, 0} } end })",
                    {1}),
      1e-10);
  EXPECT_LT(
      largest_error(
          chain("0.3, 0.6, 0.6, 0.3", 0.5, "'j1', 'last_joint'",
                "bar:set{ q = {-2, 1.115, 1.77, -1.1}, v = {0, 0, 0, 0.6}, hold = { 'j1', "
                "'last_joint' } } "),
          "bar:control('computed_torque', { name = 'law', frequency = 10, reference = function(t) "
          "return { q = {-1.7 - 0.3 * math.cos(4 * t), 0, 0, -1.1 + 0.2 * math.sin(3 * t)}, v = "
          "{1.2 * math.sin(4 * t), 0, 0, 0.6 * math.cos(3 * t)}, vdot = {4.8 * math.cos(4 * t), 0, "
          "0, -1.8 * math.sin(3 * t)} } end })",
          {1, 4}),
      1e-10);
}

// The torque of the crank holds the weight of all bars, also if it is computed at the reference.
TEST(ClosedMechanismControl, CompensatesGravity) {
  const std::string held =
      chain("0.3, 0.8, 0.6", 0.9, "'j1'", "bar:set{ q = {-0.4, -0.2, -1.7}, hold = { 'j1' } } ");
  for (const char* control :
       {"bar:control('pd_gravity', { name = 'law', kp = 1, kd = 0.1, reference = { q = {-0.4, "
        "-0.2, "
        "-1.7} } })",
        "bar:control('feed_forward', { name = 'law', kp = 1, kd = 0.1, reference = { q = {-0.4, "
        "-0.2, -1.7} } })"})
    EXPECT_LT(largest_error(held, control, {1}), 1e-11) << control;
}

TEST(ClosedMechanismControl, RejectsWhatItCannotModel) {
  const std::string open =
      chain("0.3, 0.8, 0.6", 0.9, "'j1'", "bar:set{ q = {-0.4, -0.2, -1.7}, hold = { 'j1' } } ");
  const auto error = [&](const char* control) -> std::string {
    try {
      (void)largest_error(open, control, {1});
    } catch (const Error& failure) {
      return failure.what();
    }
    return "none";
  };
  EXPECT_THAT(error("bar:control('resolved_acceleration', { name = 'law', kp = 1, kd = 1, frame = "
                    "'a', reference = { pose = { xyz = {0.5, 0, 0.5} } } })"),
              HasSubstr("moves a frame, and its map to the joints does not know closed loops"));
  EXPECT_THAT(error("bar:control('adaptive', { name = 'law', lambda = 1, kd = 1, "
                    "reference = { q = {-0.4, 0, 0} } })"),
              HasSubstr("it needs a regressor, which a mechanism with closures does not have"));
  // Motors at all joints keep the reference, which does not close the loop.
  const std::string all = chain("0.3, 0.8, 0.6", 0.9, "'j1', 'j2', 'last_joint'",
                                "bar:set{ q = {-0.4, -0.2, -1.7}, hold = { 'j1' } } ");
  const auto error_of_all = [&](const std::string& control) -> std::string {
    try {
      (void)largest_error(all, control, {1});
    } catch (const Error& failure) {
      return failure.what();
    }
    return "none";
  };
  const std::string reason =
      "its model has closed loops, and the joints with motors keep the given position: the loops "
      "cannot be closed from the start position: the closure 'pin' is open by ";
  const std::string feed_forward = error_of_all(
      "bar:control('feed_forward', { name = 'law', kp = 1, kd = 1, reference = { q = {-0.4, 0, 0} "
      "} })");
  EXPECT_THAT(feed_forward,
              HasSubstr("controller 'controller.feed_forward' failed in evaluate: " + reason));
  EXPECT_THAT(feed_forward, HasSubstr("held: 'j1', 'j2', 'last_joint'"));
  EXPECT_THAT(feed_forward, HasSubstr("set passive = true for the joints that follow from others"));
  EXPECT_THAT(error_of_all("torsor.controller('mine', { follows = 'joints', evaluate = "
                           "function(model, input) return { tau = model.dynamics:gravity({-0.4, 0, "
                           "0}) } end }) bar:control('mine', { name = 'law', reference = { q = "
                           "{0, 0, 0} } })"),
              HasSubstr(reason));
}

}  // namespace
}  // namespace torsor::test::constrained
