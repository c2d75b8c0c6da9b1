// Tests of closed loops against reference solutions (tests/reference/constraints): motion, forces
// at the cut joints, energy, errors of the loops, and the start of a run.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>

#include "simulation/closed_mechanism.hpp"
#include "support/allocation_counter.hpp"
#include "support/error_of.hpp"
#include "torsor/mechanics/kinematics.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// Advances a run to each time of the table, and calls check(row).
template <class Check>
void follow(const ClosedMechanism& mechanism, Simulation& run, double until, Check check) {
  const Json& times = mechanism.table["times"];
  for (size_t row = 0; row < times.size() && times[row] <= until; ++row) {
    const long long steps = std::llround(times[row].get<double>() / run.dt());
    while (run.steps() < steps) run.step();
    check(row);
  }
}

class ClosedLoop : public testing::TestWithParam<const char*> {};

// States, energies and errors of the loops, with an adaptive integrator. Errors of swings are those
// of a time shift, so that they are relative to the speed.
TEST_P(ClosedLoop, FollowsTheReference) {
  const ClosedMechanism mechanism(GetParam());
  Simulation run = mechanism.start(Integrator::dormand_prince, 0.01, {1e-12, 1e-12});
  const Json& values = mechanism.table["values"];
  double worst = 0, open = 0;
  follow(mechanism, run, 10, [&](size_t row) {
    for (const auto& [joint, list] : values["joint_positions"].items()) {
      if (mechanism.has_closure(joint)) continue;
      const int dof = mechanism.dof(joint);
      const double rate = values["joint_rates"][joint][row];
      worst = std::max(worst, std::abs(run.state().q()[size_t(dof)] - list[row].get<double>()) /
                                  (1 + std::abs(rate)));
      worst = std::max(worst, std::abs(run.state().v[size_t(dof)] - rate) / (30 + std::abs(rate)));
    }
    EXPECT_NEAR(run.energy().kinetic, values["kinetic_energy"][row], 1e-7);
    EXPECT_NEAR(run.energy().potential, values["potential_energy"][row], 1e-7);
    for (const double error : run.closure_errors()) open = std::max(open, std::abs(error));
  });
  EXPECT_LT(worst, 1e-8);
  EXPECT_LT(open, 1e-14);
  EXPECT_LT(std::abs(run.ledger_error()), 1e-8);
}
INSTANTIATE_TEST_SUITE_P(Planar, ClosedLoop,
                         testing::Values("A1_fourbar", "A2_slider_crank", "A3_fivebar",
                                         "A4_parallelogram", "A4b_three_crank_parallelogram"));
INSTANTIATE_TEST_SUITE_P(Bricard, ClosedLoop, testing::Values("A5_bricard"));

class CutJoint : public testing::TestWithParam<const char*> {};

// The parts of the force that are determinate, at the cut joint, in the plane of the mechanism.
TEST_P(CutJoint, HasTheForceOfTheReference) {
  const ClosedMechanism mechanism(GetParam());
  Simulation run = mechanism.start(Integrator::dormand_prince, 0.01, {1e-12, 1e-12});
  const auto& forces = mechanism.table["values"]["joint_forces"];
  double worst = 0, largest = 0;
  follow(mechanism, run, 10, [&](size_t row) {
    const std::vector<Wrench<double>> wrenches = run.closure_wrenches();
    for (const auto& [name, list] : forces.items()) {
      size_t k = 0;
      while (mechanism.model->closures[k].name != name) ++k;
      const Closure& closure = mechanism.model->closures[k];
      const Vec3<double> f =
          frame_pose(run.state(), {"", closure.body_A, closure.X_BA}).R * wrenches[k].f;
      worst = std::max(worst, norm(f - vec3(list[row])));
      largest = std::max(largest, norm(f));
    }
  });
  EXPECT_LT(worst, 1e-6 * largest);
}
INSTANTIATE_TEST_SUITE_P(Planar, CutJoint,
                         testing::Values("A1_fourbar", "A2_slider_crank", "A3_fivebar",
                                         "A4_parallelogram"));

// The error of q after one second, for an integrator and a step.
double error_of_step(const ClosedMechanism& mechanism, Integrator integrator, double dt,
                     const std::vector<double>& exact) {
  Simulation run = mechanism.start(integrator, dt);
  for (long long k = std::llround(0.4 / dt); k > 0; --k) run.step();
  double error = 0;
  for (size_t k = 0; k < exact.size(); ++k)
    error = std::max(error, std::abs(run.state().q()[k] - exact[k]));
  return error;
}

// The projection keeps the order of the integrators with a fixed step.
TEST(ClosedLoops, IntegratorsKeepTheirOrders) {
  const ClosedMechanism mechanism("A1_fourbar");
  Simulation reference = mechanism.start(Integrator::dormand_prince, 0.01, {1e-13, 1e-13});
  while (reference.time() < 0.4 - 1e-9) reference.step();
  const std::vector<double> exact(reference.state().q().begin(), reference.state().q().end());
  for (const std::string& method : integrator_names()) {
    const Integrator integrator = *torsor::integrator(method);
    if (traits(integrator).is_adaptive) continue;
    const double order = traits(integrator).order,
                 coarse = error_of_step(mechanism, integrator, 2e-3, exact),
                 fine = error_of_step(mechanism, integrator, 1e-3, exact);
    std::printf("%-24s error %.1e, order %.2f\n", method.c_str(), fine,
                observed_order(coarse, fine));
    EXPECT_GT(observed_order(coarse, fine), order - 0.3) << method;
  }
}

TEST(ClosedLoops, AStepAllocatesNothing) {
  TORSOR_NEEDS_ALLOCATION_COUNTS();
#ifndef NDEBUG
  GTEST_SKIP() << "a debug build repeats each call, which allocates";
#endif
  for (const char* name : {"A1_fourbar", "A4b_three_crank_parallelogram", "A5_bricard"})
    for (const Integrator integrator :
         {Integrator::euler, Integrator::semi_implicit_euler, Integrator::rk4}) {
      Simulation run = ClosedMechanism(name).start(integrator, 1e-3);
      run.step();
      const long before = allocations();
      for (int k = 0; k < 10; ++k) run.step();
      EXPECT_EQ(allocations() - before, 0) << name << " " << torsor::name(integrator);
    }
}

// The loops do not drift apart: the errors are rounding errors also after many steps.
TEST(ClosedLoops, DoNotDrift) {
  for (const char* name : {"A1_fourbar", "A3_fivebar", "A5_bricard"}) {
    Simulation run = ClosedMechanism(name).start(Integrator::rk4, 1e-3);
    for (int k = 0; k < 50'000; ++k) run.step();
    for (const double error : run.closure_errors()) EXPECT_LT(std::abs(error), 1e-13) << name;
    EXPECT_LT(std::abs(run.ledger_error()), 1e-4) << name << ": the error of the integrator";
  }
}

// implicit_midpoint has order 2 with joints of every kind, mimic joints and closures of every kind.
TEST(ClosedLoops, KeepTheOrderOfTheMidpointRuleForEveryKind) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    TORSOR_TRACE_SEED(seed);
    const ClosedState closed = random_closed_tree(seed);
    const auto end = [&](Integrator integrator, int steps) {
      Simulation run(closed.model, solver_factory(), integrator, 0.08 / steps, {1e-12, 1e-12});
      run.set_state(closed.q, std::vector<double>(size_t(closed.model->n_v), 0.3));
      for (int k = 0; k < steps; ++k) run.step();
      return Vector(Eigen::Map<const Vector>(run.state().v.data(), closed.model->n_v));
    };
    const Vector exact = end(Integrator::dormand_prince, 4);
    const double coarse = (end(Integrator::implicit_midpoint, 8) - exact).norm(),
                 fine = (end(Integrator::implicit_midpoint, 16) - exact).norm();
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.1) << coarse << " and " << fine;
  }
}

// A closure that the tree meets anyway transmits no force.
TEST(ClosedLoops, MayHaveOnlyRedundantRows) {
  RobotDescription robot = planar_n_link(Vector::Ones(2), Vector::Ones(2));
  robot.closures.push_back({.name = "plane",
                            .kind = ClosureKind::planar,
                            .frames = {"world", robot.links.back().name},
                            .axes = {Vec3<double>{0, 0, 1}, Vec3<double>{0, 0, 1}}});
  Simulation run(build(robot), solver_factory(), Integrator::rk4, 1e-3);
  run.set_state(std::vector<double>{0.3, 0.4}, std::vector<double>{1, -1});
  for (int k = 0; k < 10; ++k) run.step();
  EXPECT_EQ(norm(run.closure_wrenches()[0].f), 0);
  EXPECT_EQ(norm(run.closure_wrenches()[0].n), 0);
}

// Rounding errors of a closure at the origin of the world are those of the links that lead to it.
TEST(ClosedLoops, MayBeAtTheOriginOfTheWorld) {
  RobotDescription robot = planar_n_link(Vector::Ones(3), Vector::Ones(3));
  robot.frames.push_back({"tip", robot.links.back().name, translation<double>({1, 0, 0}), ""});
  robot.closures.push_back(
      {.name = "origin", .kind = ClosureKind::spherical, .frames = {"world", "tip"}});
  Simulation run(build(robot), solver_factory(), Integrator::implicit_midpoint, 1e-3);
  run.set_gravity({0, -9.81, 0});
  run.set_state(std::vector<double>{0.3, 2, 2}, std::vector<double>{1, 0, 0},
                std::vector<char>{1, 0, 0});
  for (int k = 0; k < 100; ++k) run.step();
  for (const double error : run.closure_errors()) EXPECT_LT(std::abs(error), 1e-13);
  EXPECT_LT(std::abs(run.ledger_error()), 1e-3 * run.energy().kinetic);
}

// The order of the closures changes neither the motion nor the reactions, which redundant rows
// share.
TEST(ClosedLoops, DoNotDependOnTheOrderOfClosures) {
  ClosedMechanism mechanism("A4b_three_crank_parallelogram");
  ClosedMechanism reversed = mechanism;
  auto model = std::make_shared<Model>(*mechanism.model);
  std::ranges::reverse(model->closures);
  reversed.model = model;
  const size_t n = model->closures.size();
  ASSERT_EQ(n, 2u);
  Simulation a = mechanism.start(Integrator::rk4, 1e-3), b = reversed.start(Integrator::rk4, 1e-3);
  for (int k = 0; k < 200; ++k) a.step(), b.step();
  for (size_t k = 0; k < a.state().q().size(); ++k)
    EXPECT_NEAR(a.state().q()[k], b.state().q()[k], 1e-12);
  const std::vector<Wrench<double>> of_a = a.closure_wrenches(), of_b = b.closure_wrenches();
  double largest = 0, difference = 0;
  for (size_t k = 0; k < n; ++k) {
    const Wrench<double>&F = of_a[k], &G = of_b[n - 1 - k];
    largest = std::max({largest, norm(F.f), norm(F.n)});
    difference = std::max({difference, norm(F.f - G.f), norm(F.n - G.n)});
  }
  EXPECT_LT(difference, 1e-9 * largest);
}

// A run that is restored from a snapshot continues with the same bits.
TEST(ClosedLoops, ContinuesFromASnapshotToTheBit) {
  for (const char* name : {"A1_fourbar", "A5_bricard"}) {
    const ClosedMechanism mechanism(name);
    Simulation run = mechanism.start(Integrator::rk4, 1e-3);
    for (int k = 0; k < 50; ++k) run.step();
    Simulation other = mechanism.start(Integrator::rk4, 1e-3);
    other.load(run.save());
    for (int k = 0; k < 50; ++k) run.step(), other.step();
    EXPECT_EQ(state_hash(run.snapshot()), state_hash(other.snapshot())) << name;
  }
}

// Static friction in two joints of a mechanism with one degree of freedom: the forces of both are
// undetermined while it sticks. It breaks away if the torque on the crank exceeds both.
TEST(ClosedLoops, SticksByTheFrictionOfSeveralJoints) {
  const ClosedMechanism mechanism("A4_parallelogram");
  Model model = *mechanism.model;
  for (const char* joint : {"j1", "j2"})
    model.drives[size_t(mechanism.dof(joint))].friction = {
        .law = Friction::Law::coulomb, .coulomb = 1, .breakaway = 1};
  for (const double tau : {1.9, 2.1}) {
    Simulation run(std::make_shared<Model>(model), solver_factory(), Integrator::rk4, 1e-3);
    run.set_gravity({0, 0, 0});
    Load load;
    load.tau.assign(size_t(model.n_v), 0.0);
    load.tau[size_t(mechanism.dof("j1"))] = tau;
    run.set_load(load);
    run.set_state(neutral(model), std::vector<double>(size_t(model.n_v), 0.0));
    for (int k = 0; k < 100; ++k) run.step();
    if (tau < 2)
      EXPECT_EQ(run.state().v[0], 0) << tau;
    else
      // J th'' = tau - 2, with J of the reference.
      EXPECT_NEAR(run.state().v[0], 0.1 * (tau - 2) / 0.116771666666667, 1e-9);
  }
}

// The parallelogram passes the angle at which its links are in line, where it could also become an
// antiparallelogram: the state stays finite and the energy is bounded.
TEST(ClosedLoops, PassesASingularPosition) {
  const ClosedMechanism mechanism("A4_parallelogram");
  Simulation run = mechanism.start(Integrator::rk4, 1e-3);
  Load load = run.load();
  load.tau.assign(size_t(mechanism.model->n_v), 0.0);
  load.tau[size_t(mechanism.dof("j1"))] = 8;
  run.set_load(load);
  run.set_state(neutral(*mechanism.model), std::vector<double>(size_t(mechanism.model->n_v), 0.0));
  double turned = 0;
  for (int k = 0; k < 2000; ++k) {
    run.step();
    turned = std::max(turned, run.state().q()[0]);
    ASSERT_TRUE(std::isfinite(run.energy().kinetic));
    for (const double error : run.closure_errors()) ASSERT_LT(std::abs(error), 1e-9);
  }
  EXPECT_GT(turned, 2.2) << "the cranks pass the ground line at 2 pi / 3";
  EXPECT_LT(std::abs(run.ledger_error()), 1e-3 * run.energy().kinetic);
}

}  // namespace
}  // namespace torsor::test
