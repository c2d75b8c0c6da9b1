// Tests of closed mechanisms in the editor: sliders, drags, wrenches and the constraint step. They
// are compared with the geometry of the four-bar linkage and with dense equations of motion.

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "editor/panels/explain/constraint_solvers.hpp"
#include "editor/panels/explain/constraints.hpp"
#include "editor/points.hpp"
#include "editor/probe/closure_report.hpp"
#include "editor/probe/constraint_step.hpp"
#include "editor/probe/probe.hpp"
#include "editor/session_fixture.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor::test {
namespace {

using testing::HasSubstr;

// scenes/four_bar.lua: lengths of the links, and the hinge of the rocker on the ground.
constexpr double crank = 0.3, coupler = 0.8, rocker = 0.6, ground = 0.9;

// Returns the direction in the plane (x, z) of a bar at an angle about y.
Vec3<double> along(double angle) {
  return {std::cos(angle), 0, -std::sin(angle)};
}
const Vec3<double> hinge{ground, 0, 0};

// Returns the angles of elbow and hinge of the four-bar, on the branch of the scene: the triangle
// of crank tip, hinge and pin has the pin above the line from tip to hinge.
struct Angles {
  double elbow, hinge;
};
Angles closed_form(double drive) {
  const Vec3<double> tip = crank * along(drive), d = hinge - tip;
  const double length = norm(d), to_hinge = std::atan2(-d.z, d.x);
  const double at_tip =
      std::acos((coupler * coupler + length * length - rocker * rocker) / (2 * coupler * length));
  const double of_coupler = to_hinge - at_tip;
  const Vec3<double> from_hinge = tip + coupler * along(of_coupler) - hinge;
  return {of_coupler - drive, std::atan2(-from_hinge.z, from_hinge.x)};
}

class ClosuresTest : public SessionTest {
 protected:
  Session session(const std::string& scene) {
    return Session(shipped_plugins(),
                   {.file = source_file(scene), .overrides = {}, .journal_folder = {}});
  }
  static State state_of(const SessionState& now) {
    State state(now.scene->experiment.model);
    state.set_q(now.state.q);
    state.v = now.state.v;
    return state;
  }
  static double largest_gap(const SessionState& now) {
    double out = 0;
    for (const ClosureGap& gap : closure_gaps(state_of(now)))
      out = std::max({out, gap.distance, gap.angle});
    return out;
  }
  static Vec3<double> point(const SessionState& now, const std::string& frame) {
    const Model& model = now.scene->model();
    return frame_pose(state_of(now), model.frames[size_t(model.frame(frame))]).p;
  }
};

TEST_F(ClosuresTest, TheOtherJointsFollowASlider) {
  Session run = session("scenes/four_bar.lua");
  const auto scene = settled(run)->scene;
  for (const double drive : {-0.5, -2.0, -3.5, 0.4}) {
    run.post(command::Edit{scene, command::SetPosition{0, drive}});
    const auto now = settled(run);
    const Angles wanted = closed_form(drive);
    EXPECT_EQ(now->state.q[0], drive) << problems(*now);
    EXPECT_NEAR(std::remainder(now->state.q[1] - wanted.elbow, 2 * M_PI), 0, 1e-12);
    EXPECT_NEAR(std::remainder(now->state.q[2] - wanted.hinge, 2 * M_PI), 0, 1e-12);
    EXPECT_EQ(problems(*now), "");
  }
  run.post(command::Undo{});
  EXPECT_EQ(settled(run)->state.q[0], -3.5);
}

// Checks the rocker. It is nearest to the ground when crank and coupler are in line: the sides of
// the triangle of both hinges and the pin are ground, rocker and coupler + crank.
TEST_F(ClosuresTest, ASliderStopsWhereTheLoopCannotBeClosed) {
  Session run = session("scenes/four_bar.lua");
  const auto scene = settled(run)->scene;
  const auto triangle = [](double side) {
    return std::acos((ground * ground + rocker * rocker - side * side) / (2 * ground * rocker));
  };
  const double low = -M_PI + triangle(coupler - crank), high = -M_PI + triangle(coupler + crank);
  run.post(command::Edit{scene, command::SetPosition{2, 0.5}});
  auto now = settled(run);
  EXPECT_NEAR(now->state.q[2], high, 2e-3);
  EXPECT_LT(largest_gap(*now), 1e-12);
  EXPECT_THAT(problems(*now),
              HasSubstr(fmt::format("hinge stops at {:.4g} rad: the loops cannot be closed beyond",
                                    now->state.q[2])));
  run.post(command::Edit{scene, command::SetPosition{2, -4}});
  now = settled(run);
  EXPECT_NEAR(now->state.q[2], low, 2e-3);
  EXPECT_LT(largest_gap(*now), 1e-12);
}

TEST_F(ClosuresTest, TheOtherVelocitiesFollowASlider) {
  Session run = session("scenes/four_bar.lua");
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::SetVelocity{0, 2}});
  const auto now = settled(run);
  const double drive = now->state.q[0], h = 1e-5;
  const Angles before = closed_form(drive - h), after = closed_form(drive + h);
  EXPECT_NEAR(now->state.v[0], 2, 1e-12);
  EXPECT_NEAR(now->state.v[1], 2 * (after.elbow - before.elbow) / (2 * h), 1e-8);
  EXPECT_NEAR(now->state.v[2], 2 * (after.hinge - before.hinge) / (2 * h), 1e-8);
}

// Drags the pin of the four-bar. It moves on the circle of the rocker, so that it stops at the
// point of the circle that is nearest to the mouse.
TEST_F(ClosuresTest, ADraggedLinkFollowsAsFarAsTheLoopAllows) {
  Session run = session("scenes/four_bar.lua");
  const auto scene = settled(run)->scene;
  const double angle = -2;
  for (const double radius : {0.2, 0.6, 3.0}) {
    run.post(command::Edit{scene, command::SetPosition{0, -0.35}});
    run.post(
        command::Edit{scene, command::MoveFrame{"coupler_end", {}, hinge + radius * along(angle)}});
    const auto now = settled(run);
    EXPECT_EQ(problems(*now), "");
    EXPECT_LT(norm(point(*now, "coupler_end") - (hinge + rocker * along(angle))), 2e-3) << radius;
    EXPECT_LT(largest_gap(*now), 1e-12);
  }
}

TEST_F(ClosuresTest, ADraggedPlatformReachesTheMouse) {
  Session run = session("scenes/stewart_platform.lua");
  const auto before = settled(run);
  const Vec3<double> target{0.05, -0.03, 0.87};
  run.post(command::Edit{before->scene, command::MoveFrame{"platform", {}, target}});
  const auto now = settled(run);
  EXPECT_EQ(problems(*now), "");
  expect_near(point(*now, "platform"), target, 1e-6);
  EXPECT_LT(largest_gap(*now), 1e-12);
}

// Sets the height of the platform. Its six dof are free together, so that it keeps its other ones.
TEST_F(ClosuresTest, TheLegsFollowASliderOfThePlatform) {
  Session run = session("scenes/stewart_platform.lua");
  const auto before = settled(run);
  run.post(command::Edit{before->scene, command::SetPosition{2, before->state.q[2] + 0.06}});
  const auto now = settled(run);
  for (size_t k = 0; k < 7; ++k)
    EXPECT_NEAR(now->state.q[k], before->state.q[k] + (k == 2 ? 0.06 : 0), 1e-12) << k;
  EXPECT_LT(largest_gap(*now), 1e-12);
}

constexpr const char* rail_scene = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
arm:link{ name = "post", joint = { "fixed", name = "foot" }, inertia = { mass = 1, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
arm:link{ name = "block", parent = "post", joint = { "prismatic", name = "slide", axis = {1, 0, 0}, limits = { lower = -1, upper = 0.2 } },
          inertia = { mass = 2.5, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 1,
                         record = { "arm.q" } }
)";

// Checks a robot without loops: a block on a rail, up to its limit.
TEST_F(ClosuresTest, ADraggedTreeMovesUpToItsLimits) {
  Session run(shipped_plugins(),
              {.file = write("s.lua", rail_scene), .overrides = {}, .journal_folder = {}});
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::MoveFrame{"block", {0.1, 0, 0}, {-0.3, 2, 1}}});
  EXPECT_NEAR(settled(run)->state.q[0], -0.4, 1e-6);
  run.post(command::Edit{scene, command::MoveFrame{"block", {0.1, 0, 0}, {7, 2, 1}}});
  EXPECT_NEAR(settled(run)->state.q[0], 0.2, 1e-12);
  EXPECT_EQ(problems(*settled(run)), "");
  run.post(command::Edit{scene, command::MoveFrame{"post", {}, {1, 0, 0}}});
  run.post(command::Edit{scene, command::MoveFrame{"block", {}, {NAN, 0, 0}}});
  const std::string found = problems(*settled(run));
  EXPECT_THAT(found, HasSubstr("'post' cannot be moved: no joint moves it"));
  EXPECT_THAT(found, HasSubstr("'block' cannot be moved: the points must be finite"));
}

// Checks a pull against the kinetic energy of the mechanism, which has one dof s, the angle of the
// crank. With m_s from T = m_s sdot^2 / 2, the average mobility of a point is |dp/ds|^2 / (3 m_s).
TEST_F(ClosuresTest, APulledLinkHasTheInertiaOfTheMechanism) {
  Session run = session("scenes/four_bar.lua");
  const auto scene = settled(run)->scene;
  run.post(command::Edit{scene, command::SetVelocity{0, 1}});
  const State state = state_of(*settled(run));
  const Model& model = state.model();
  const Frame& frame = model.frames[size_t(model.frame("rocker_end"))];
  const double speed = norm(frame_twist(state, frame).v), inertia = 2 * kinetic_energy(state);
  run.post(command::Edit{scene, command::PullFrame{"rocker_end", {}, {1, 0, 0}}});
  const auto now = settled(run);
  const auto* change = now->timeline.active_change<PullChange>(0);
  ASSERT_TRUE(change && change->pull) << problems(*now);
  const double w = 4 * M_PI, mobility = speed * speed / (3 * inertia);
  EXPECT_NEAR(change->pull->stiffness, w * w / mobility, 1e-8 * w * w / mobility);
}

// Checks the wrenches of the joints of the tree: along a passive joint, the wrench is zero.
TEST_F(ClosuresTest, JointWrenchesIncludeThoseOfClosures) {
  for (const char* file : {"scenes/four_bar.lua", "scenes/stewart_platform.lua"}) {
    Session run = session(file);
    settled(run);
    run.post(command::Go{300});
    Probe probe;
    probe.look_at(settled(run));
    const Model& model = probe.state().model();
    const std::vector<Wrench<double>>& W = probe.joint_wrenches();
    ASSERT_EQ(W.size(), size_t(model.n_body));
    const JointForces& forces = probe.joint_forces();
    double largest = 0;
    for (int dof = 0; dof < model.n_v; ++dof) {
      const size_t body = size_t(model.joint_of_dof(dof).body);
      largest = std::max(largest, norm(W[body].f));
      EXPECT_NEAR(dot(model.S_B[size_t(dof)], W[body]),
                  forces.torque[size_t(dof)] - forces.friction[size_t(dof)], 1e-8)
          << file << " dof " << dof;
    }
    EXPECT_GT(largest, 1);
  }
}

// Compares the step with the dense equations of motion:
//   [ M  -J^T ] [ vdot   ]   [ tau - bias ]
//   [ J   0   ] [ lambda ] = [ -Jdot v    ]
TEST_F(ClosuresTest, TheConstraintStepSolvesTheEquationsOfMotion) {
  Session run = session("scenes/stewart_platform.lua");
  settled(run);
  run.post(command::Go{300});
  Probe probe;
  probe.look_at(settled(run));
  const ConstraintStep& step = probe.constraint_step();
  ASSERT_EQ(step.failure, "");
  const Eigen::Index n = probe.state().model().n_v, m = Eigen::Index(step.rows.size());
  ASSERT_EQ(m, 18);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + m, n + m);
  Eigen::VectorXd b(n + m);
  const JointForces& forces = probe.joint_forces();
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j)
      A(i, j) = probe.answer(Quantity::mass_matrix).x[size_t(i * n + j)];
    b[i] = forces.torque[size_t(i)] - forces.friction[size_t(i)] -
           probe.answer(Quantity::bias).x[size_t(i)];
  }
  for (Eigen::Index r = 0; r < m; ++r) {
    EXPECT_TRUE(step.rows[size_t(r)].independent);
    for (const auto& [dof, factor] : step.rows[size_t(r)].terms) {
      A(n + r, dof) += factor;
      A(dof, n + r) -= factor;
    }
    b[n + r] = -step.rows[size_t(r)].bias;
  }
  const Eigen::VectorXd x = A.fullPivLu().solve(b);
  for (Eigen::Index i = 0; i < n; ++i)
    EXPECT_NEAR(step.vdot[size_t(i)], x[i], 1e-8 * (1 + std::abs(x[i]))) << i;
  const ClosureWrenches& wrenches = probe.closure_wrenches();
  for (Eigen::Index r = 0; r < m; ++r) {
    const ConstraintRow& row = step.rows[size_t(r)];
    EXPECT_NEAR(row.multiplier, x[n + r], 1e-7) << row.name;
    EXPECT_NEAR(row.constrained, 0, 1e-8) << row.name;
    EXPECT_NEAR(row.rate, 0, 1e-8) << row.name;
    // The rows of a spherical closure are the axes of A.
    const Vec3<double>& f = wrenches.F_A[size_t(r / 3)].f;
    EXPECT_NEAR(row.multiplier, r % 3 == 0 ? f.x : r % 3 == 1 ? f.y : f.z, 1e-8) << row.name;
  }
}

constexpr const char* resting_scene = R"(
local torsor = require "torsor"
local arm = torsor.robot{ name = "arm" }
local function block(name, mass, joint)
  arm:link{ name = name, joint = joint,
            inertia = { mass = mass, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
end
block("a", 2, { "prismatic", name = "lift", axis = {0, 0, 1}, limits = { lower = 0, upper = 1 }, stop = { restitution = 0 } })
block("b", 1, { "prismatic", name = "twin", axis = {0, 0, 1}, mimic = { joint = "lift" } })
block("c", 3, { "prismatic", name = "rail", axis = {1, 0, 0}, friction = { "coulomb", coulomb = 40, static = 50 } })
arm:apply{ tau = { rail = 10 } }
local world = torsor.world{}
world:add(arm)
return world:experiment{ solver = "articulated_body", integrator = { "rk4", dt = 1e-3 }, duration = 1,
                         record = { "arm.q" } }
)";

// Compares the constraint solvers where static friction and a stop bound the multipliers.
TEST_F(ClosuresTest, ConstraintSolversAreComparedAtTheState) {
  Session run(shipped_plugins(),
              {.file = write("s.lua", resting_scene), .overrides = {}, .journal_folder = {}});
  Probe probe;
  probe.look_at(settled(run));
  const ConstraintSolvers solvers = probe.compare_constraint_solvers();
  ASSERT_EQ(solvers.failure, "");
  ASSERT_EQ(solvers.ids,
            (std::vector<std::string>{"constraint_solver.newton_admm", "constraint_solver.pivoting",
                                      "constraint_solver.projected_gauss_seidel"}));
  const auto& results = solvers.comparison.results();
  for (const ConstraintComparison::Result& result : results) {
    EXPECT_LE(result.laws.residual, 1e-10);
    EXPECT_EQ(result.at_bounds, 0);
    EXPECT_GT(result.ns, 0);
  }
  EXPECT_GT(results[2].iterations, results[1].iterations) << "mimicry and stop act on one joint";
  ASSERT_EQ(solvers.comparison.pairs().size(), 3u);
  for (const ConstraintComparison::Pair& pair : solvers.comparison.pairs())
    EXPECT_FALSE(pair.differ());
  EXPECT_THAT(comparison_text(solvers), HasSubstr("pivoting and projected_gauss_seidel: differ"));
}

TEST_F(ClosuresTest, AFreeRobotHasAnEmptyConstraintStep) {
  Session run(shipped_plugins(),
              {.file = write("s.lua", pendulum_scene), .overrides = {}, .journal_folder = {}});
  Probe probe;
  probe.look_at(settled(run));
  const ConstraintStep& step = probe.constraint_step();
  EXPECT_EQ(step.failure, "");
  EXPECT_TRUE(step.rows.empty());
  EXPECT_EQ(step.vdot, probe.acceleration().x);
  EXPECT_EQ(probe.compare_constraint_solvers().failure, "No constraint is active.");
}

TEST_F(ClosuresTest, TheConstraintSolverChangesWithoutABitOfTheState) {
  Session run = session("scenes/four_bar.lua");
  settled(run);
  run.post(command::Go{50});
  const Snapshot before = settled(run)->state;
  run.post(command::SetConstraintSolver{"projected_gauss_seidel"});
  auto now = settled(run);
  EXPECT_EQ(now->constraint_solver().id, "constraint_solver.projected_gauss_seidel");
  EXPECT_EQ(state_hash(now->state), state_hash(before));
  run.post(command::Go{90});
  const uint64_t after = state_hash(settled(run)->state);
  run.post(command::SetConstraintSolver{"projected_gauss_seidel"});
  EXPECT_EQ(settled(run)->undoable, 1) << "it is active already";
  run.post(command::Go{10});
  EXPECT_EQ(settled(run)->constraint_solver().id, "pivoting") << "before the change";
  run.post(command::Go{90});
  EXPECT_EQ(state_hash(settled(run)->state), after);
  run.post(command::Undo{});
  run.post(command::Go{90});
  EXPECT_NE(state_hash(settled(run)->state), after) << "the run of the other solver";
  run.post(command::Redo{});
  run.post(command::Go{90});
  now = settled(run);
  run.post(command::Reload{});
  EXPECT_TRUE(eventually([&] { return run.now()->scene != now->scene; }));
  now = settled(run);
  EXPECT_EQ(now->constraint_solver().id, "constraint_solver.projected_gauss_seidel");
  EXPECT_EQ(state_hash(now->state), after);
  run.post(command::SetConstraintSolver{"pivotting"});
  EXPECT_THAT(problems(*settled(run)), HasSubstr("did you mean"));
}

// Checks the redundant rows of the plane linkage: of five rows, two are independent.
TEST_F(ClosuresTest, TheConstraintStepNamesDependentRows) {
  Session run = session("scenes/four_bar.lua");
  settled(run);
  run.post(command::Go{200});
  Probe probe;
  probe.look_at(settled(run));
  const ConstraintStep& step = probe.constraint_step();
  ASSERT_EQ(step.rows.size(), 5u);
  EXPECT_EQ(std::ranges::count(step.rows, true, &ConstraintRow::independent), 2);
  EXPECT_EQ(step.rows[0].name, "pin: x_A . d");
  const std::string text = constraint_text(step);
  EXPECT_THAT(text, HasSubstr("constraints: 5 rows, rank 2"));
  EXPECT_THAT(text, HasSubstr(", dependent"));
  for (size_t dof = 0; dof < 3; ++dof) {
    double force = 0;
    for (const ConstraintRow& row : step.rows)
      for (const auto& [index, factor] : row.terms)
        if (index == int(dof)) force += factor * row.multiplier;
    EXPECT_NEAR(force, probe.joint_forces().constraint[dof], 1e-9) << dof;
    EXPECT_NEAR(step.vdot_0[dof] + step.change[dof], step.vdot[dof], 1e-10) << dof;
  }
}

// Checks weights on a stop, one of them by a mimic joint, and a force that static friction bears.
TEST_F(ClosuresTest, TheConstraintStepHasMimicsStopsAndStaticFriction) {
  Session run(shipped_plugins(),
              {.file = write("s.lua", resting_scene), .overrides = {}, .journal_folder = {}});
  const auto now = settled(run);
  ASSERT_TRUE(now->scene) << problems(*now);
  Probe probe;
  probe.look_at(now);
  const ConstraintStep& step = probe.constraint_step();
  ASSERT_EQ(step.rows.size(), 3u) << step.failure;
  constexpr double g = 9.81;
  const std::pair<const char*, double> wanted[] = {
      {"mimicry of twin", g}, {"static friction of rail", -10}, {"stop of lift", 3 * g}};
  for (size_t r = 0; r < 3; ++r) {
    EXPECT_EQ(step.rows[r].name, wanted[r].first);
    EXPECT_NEAR(step.rows[r].multiplier, wanted[r].second, 1e-9) << step.rows[r].name;
    EXPECT_EQ(step.rows[r].error, 0) << step.rows[r].name;
    EXPECT_NEAR(step.rows[r].constrained, 0, 1e-12) << step.rows[r].name;
  }
}

TEST_F(ClosuresTest, TheReportHasTheValuesOfAClosure) {
  Session run = session("scenes/four_bar.lua");
  Probe probe;
  probe.look_at(settled(run));
  std::string all;
  for (const Line& line : closure_report(probe.state(), 0, probe.closure_wrenches()))
    all += fmt::format("{}: {} {}\n", line.name, line.value, line.unit);
  EXPECT_THAT(all, HasSubstr("Kind: revolute"));
  EXPECT_THAT(all, HasSubstr("First body A: coupler"));
  EXPECT_THAT(all, HasSubstr("Second body B: rocker"));
  EXPECT_THAT(all, HasSubstr("Moment: "));
}

}  // namespace
}  // namespace torsor::editor::test
