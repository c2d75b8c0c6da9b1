// Tests of loads: forces with states of their own, and forces that are functions of time or of the
// state. Also tests of their errors.

#include <gtest/gtest.h>

#include <cmath>

#include "handles/table_force.hpp"
#include "simulation/forces.hpp"
#include "simulation/snapshots.hpp"
#include "support/allocation_counter.hpp"

namespace torsor::test {
namespace {

using List = std::vector<double>;

// Returns a Maxwell element between the world and the cart: a spring k and a damper d in series.
// Its state x is the length of the damper: xdot = k (q - x) / d.
TableForce::Law maxwell(double k, double d) {
  return [=](const torsor_state& state, const torsor_kinematics&, const double* x,
             torsor_force_out& out) {
    const double stretch = state.q[0] - x[0];
    out.tau[0] = -k * stretch;
    out.xdot[0] = k * stretch / d;
    out.energy = 0.5 * k * stretch * stretch;
    out.energy_rate = k * stretch * (state.v[0] - out.xdot[0]);
    return TORSOR_OK;
  };
}

// Compares with the closed form of the velocity. m qdd = -k (q - x) and xdot = k (q - x) / d give
// the damped oscillation
//   qddd + (k/d) qdd + (k/m) qd = 0
TEST(Load, IntegratesTheStatesOfForces) {
  const double k = 50, d = 20, a = k / d / 2, w = std::sqrt(k - a * a), v0 = 1.5;
  const auto model = build(slider());
  Simulation s = with_forces(model, {table_force(model, maxwell(k, d), 1)});
  s.set_state(List{0}, List{v0});
  ASSERT_EQ(s.snapshot().memory.size(), 1u);
  run_to(s, 0.7);
  // The initial condition vdot(0) = 0 gives v = v_0 e^(-a t) (cos w t + a/w sin w t).
  const double t = 0.7;
  EXPECT_NEAR(s.state().v[0], v0 * std::exp(-a * t) * (std::cos(w * t) + a / w * std::sin(w * t)),
              1e-11);
  EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
  EXPECT_LT(s.snapshot()[Work::forces], -0.1);

  const Snapshot here = s.snapshot();
  run_to(s, 1);
  const Snapshot there = s.snapshot();
  Simulation again = with_forces(model, {table_force(model, maxwell(k, d), 1)});
  again.restore(here);
  run_to(again, 1);
  EXPECT_EQ(again.state_hash(), s.state_hash());
  EXPECT_EQ(again.snapshot().work, there.work);
}

TEST(Load, ActsWithEveryIntegrator) {
  const auto model = build(slider());
  for (const std::string& method : integrator_names()) {
    Simulation s(model, solver_factory(), *integrator(method), 1e-3);
    Load load;
    load.forces = {table_force(model, maxwell(50, 20), 1)};
    s.set_load(load);
    s.set_state(List{0}, List{1.5});
    run_to(s, 0.7);
    const double a = 1.25, w = std::sqrt(50 - a * a);
    const double exact = 1.5 * std::exp(-a * 0.7) * (std::cos(w * 0.7) + a / w * std::sin(w * 0.7));
    const bool first_order = traits(*integrator(method)).order == 1;
    EXPECT_NEAR(s.state().v[0], exact, first_order ? 0.03 : 2e-5) << method;
  }
}

// Checks a wrench A cos w t on a mass at rest, which gives v = A/w sin w t, plus a constant wrench.
// The work is counted as work of wrenches.
TEST(Load, TakesWrenchesOfTime) {
  const auto model = build(slider());
  Simulation s(model, solver_factory(), Integrator::dormand_prince, 0.01, {1e-12, 1e-13});
  Load load;
  load.wrench_of_time = {{model->frame("cart"), [](double t) {
                            return Wrench<double>{{0, 0, 0}, {3 * std::cos(2 * t), 7, 0}};
                          }}};
  load.wrench_F = {{model->frame("cart"), {{0, 0, 0}, {0.5, 0, 0}}}};
  s.set_load(load);
  run_to(s, 1);
  EXPECT_NEAR(s.state().v[0], 1.5 * std::sin(2.0) + 0.5, 1e-11);
  EXPECT_NEAR(s.snapshot()[Work::wrenches], 0.5 * std::pow(s.state().v[0], 2), 1e-10);
  EXPECT_EQ(s.snapshot()[Work::forces], 0);
}

// Compares a spring damper written as a function of the state with the plugin, between two free
// balls. The motions must be equal, and the ledger must close with the work of the function.
TEST(Load, TakesForcesOfTheState) {
  const auto model = build(free_balls({"ball", "other"}, 0.1));
  const List q{0, 0, 0, 1, 0, 0, 0, 0.3, 0.9, 0.2, 0.6, 0.8, 0, 0},
      v{1, 2, 3, 0.2, -0.5, 1, -2, 0.5, 1, 0, 0.3, 0.4};
  const double k = 20, c = 0.7, rest = 0.4;
  const auto at_0_9 = [&](const Load& load) {
    Simulation s(model, solver_factory(), Integrator::dormand_prince, 0.01, {1e-12, 1e-13});
    s.set_load(load);
    s.set_state(q, v);
    run_to(s, 0.9);
    EXPECT_NEAR(s.ledger_error(), 0, 1e-9);
    return s.snapshot();
  };
  Load by_plugin, by_function;
  by_plugin.forces = {force("spring_damper", model,
                            {{"from", "ball"},
                             {"to", "other"},
                             {"stiffness", k},
                             {"damping", c},
                             {"rest_length", rest}})};
  by_function.force_functions.push_back(
      {.robot = 0,
       .frames = {model->frame("ball"), model->frame("other")},
       .evaluate = [=](const ForceFunction::State& at, const ForceFunction::Answer& answer) {
         const Vec3<double> d = at.X_WF[1].p - at.X_WF[0].p, rate = at.V_WF_W[1].v - at.V_WF_W[0].v;
         const double length = std::sqrt(dot(d, d));
         const double tension = k * (length - rest) + c * dot(d, rate) / length;
         answer.F_F_W[0].f = tension / length * d;
         answer.F_F_W[1].f = -tension / length * d;
       }});
  const Snapshot a = at_0_9(by_plugin), b = at_0_9(by_function);
  for (size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(a.q[i], b.q[i], 1e-9) << i;
  for (size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(a.v[i], b.v[i], 1e-9) << i;
  EXPECT_GT(std::abs(b[Work::forces]), 0.1);
}

// Checks functions that return joint forces and a wrench on a frame away from the body origin. The
// wrench is in world axes, so its joint forces are J^T F with the Jacobian in world axes.
TEST(Load, ForcesOfTheStateActAtTheirFrameInTheAxesOfTheWorld) {
  RobotDescription robot = free_balls({"ball"}, 0.1);
  robot.frames.push_back(
      {"tip", "ball", {exp_so3(Vec3<double>{0.3, 0.5, -0.7}), {0.1, 0.2, -0.3}}, ""});
  const auto model = build(robot);
  const List q{0.1, 0.2, 0.3, 0.6, 0, 0.8, 0}, v{1, 2, 3, 0.2, -0.5, 1};
  const Frame& tip = model->frames[size_t(model->frame("tip"))];
  State state(model);
  state.set_q(q);
  state.v = v;
  const Pose<double> X_WF = frame_pose(state, tip);
  const Twist<double> V = frame_twist(state, tip, Axes::world);
  const Wrench<double> F{{0.4, -1, 2}, {3, 0.5, -0.7}};
  const List tau{0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  Eigen::MatrixXd J(6, 6);
  frame_jacobian(state, tip, Axes::world, J);

  ForceFunction function{.robot = 0, .frames = {model->frame("tip")}, .evaluate = {}};
  function.evaluate = [&](const ForceFunction::State& at, const ForceFunction::Answer& answer) {
    EXPECT_EQ(at.t, 0);
    EXPECT_EQ(List(at.q.begin(), at.q.end()), q);
    EXPECT_NEAR(dot(at.X_WF[0].p - X_WF.p, at.X_WF[0].p - X_WF.p), 0, 1e-30);
    EXPECT_NEAR(dot(at.V_WF_W[0].v - V.v, at.V_WF_W[0].v - V.v), 0, 1e-28);
    EXPECT_NEAR(dot(at.V_WF_W[0].w - V.w, at.V_WF_W[0].w - V.w), 0, 1e-28);
    answer.F_F_W[0] = F;
    std::copy(tau.begin(), tau.end(), answer.tau.begin());
  };
  Load load;
  load.force_functions = {function};
  Applied applied(*model, load);
  List f(6, 0.0), works(size_t(n_integrated_works), 0.0);
  ASSERT_TRUE(applied.apply(state, nullptr, f.data(), nullptr, works.data()));
  EXPECT_EQ(f, tau);
  // The power is that of J^T F and of the joint forces.
  const Eigen::Map<const Eigen::VectorXd> rates(v.data(), 6), pushes(tau.data(), 6);
  const Eigen::VectorXd wrench{{F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}};
  EXPECT_NEAR(works[size_t(Work::forces)], rates.dot(J.transpose() * wrench + pushes), 1e-13);
}

std::string failure_of(const Load& load, const std::shared_ptr<const Model>& model,
                       const std::string& method = "rk4") {
  Simulation s(model, solver_factory(), *integrator(method), 0.01);
  s.set_load(load);
  try {
    s.step();
  } catch (const Error& error) {
    EXPECT_EQ(s.steps(), 0) << "it is in the state before the step";
    return error.what();
  }
  return "";
}

// Checks m vdot = v^2. Its solution v = v_0 / (1 - v_0 t / m) ends at t = m / v_0. Towards this
// time, the internal steps shrink below the resolution of t.
TEST(Load, AMotionThatEndsInFiniteTimeIsAnError) {
  const auto model = build(slider());
  for (const Integrator method : every_integrator()) {
    if (!traits(method).is_adaptive) continue;
    Simulation s(model, solver_factory(), method, 0.01);
    Load load;
    load.forces = {table_force(
        model, [](const torsor_state& state, const auto&, const double*, torsor_force_out& out) {
          out.tau[0] = state.v[0] * state.v[0];
          return TORSOR_OK;
        })};
    s.set_load(load);
    s.set_state(List{0}, List{3});
    EXPECT_THROW(run_to(s, 1), Error) << name(method);
    EXPECT_DOUBLE_EQ(s.time(), 0.33) << name(method);
  }
}

TEST(Load, ErrorsNameTheirSource) {
  const auto model = build(slider());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto failing = [&](TableForce::Law law, size_t n_x = 0) {
    Load load;
    load.forces = {table_force(model, std::move(law), n_x)};
    return failure_of(load, model);
  };
  using S = const torsor_state&;
  using K = const torsor_kinematics&;
  using O = torsor_force_out&;
  const auto expect = [](const std::string& what, const char* part) {
    EXPECT_NE(what.find(part), what.npos) << what;
    EXPECT_EQ(what.find("diverged"), what.npos) << what;
  };
  expect(failing([=](S, K, const double*, O out) { return out.F_B[6 + 3] = nan, TORSOR_OK; }),
         "at t = 0 s (step 0): force 'force.table': evaluate returns a wrench on the body of joint "
         "'rail' that is not a finite number");
  expect(failing([=](S, K, const double*, O out) { return out.tau[0] = nan, TORSOR_OK; }),
         "force 'force.table': evaluate returns a torque at joint 'rail'");
  expect(failing([=](S, K, const double*, O out) { return out.xdot[1] = nan, TORSOR_OK; }, 2),
         "force 'force.table': evaluate returns a rate of its state 2");
  expect(failing([=](S, K, const double*, O out) { return out.energy = nan, TORSOR_OK; }),
         "force 'force.table': evaluate returns an energy");
  expect(failing([](S, K, const double*, O) { return torsor_status(TORSOR_BAD_ARGUMENT); }),
         "force 'force.table' failed in evaluate: bad argument");
  EXPECT_THROW((void)table_force(model, maxwell(1, 1), size_t(1) << 40), Error);
  for (const char* method : {"rk4", "dormand_prince", "dirk", "bdf", "implicit_midpoint"}) {
    Load load;
    load.tau_of_time = [](double, std::span<double>) { throw Error("no torque today"); };
    expect(failure_of(load, model, method), "no torque today");
    Load other;
    other.wrench_of_time = {
        {model->frame("cart"), [](double) -> Wrench<double> { throw Error("no wrench"); }}};
    expect(failure_of(other, model, method), "no wrench");
  }
}

TEST(Load, IsEvaluatedWithoutAllocation) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call, which allocates";
#endif
  const auto model = build(free_balls({"ball", "other"}, 0.1));
  for (const char* method : {"rk4", "implicit_midpoint"}) {
    Simulation s(model, solver_factory(), *integrator(method), 1e-3);
    Load load;
    load.wrench_F = {{model->frame("ball"), {{0, 0, 0}, {0, 0, 1}}}};
    load.forces = {
        force("ground", model,
              {{"plane", "world"}, {"frames", frames({"ball", "other"})}, {"radius", List{0.1}}}),
        force("fluid_drag", model, {{"frames", "ball"}, {"linear", List{1}}}),
        force("spring_damper", model, {{"from", "ball"}, {"to", "other"}, {"stiffness", 10.0}})};
    s.set_load(load);
    s.set_state(List{0, 0, 0.099, 1, 0, 0, 0, 1, 0, 0.099, 1, 0, 0, 0}, List(12, 0.0));
    s.step();
    const long before = allocations();
    for (int k = 0; k < 10; ++k) s.step();
    EXPECT_EQ(allocations() - before, 0) << method;
  }
}

}  // namespace
}  // namespace torsor::test
