// The probe sees the whole mechanism: on scenes that run, against closed forms and laws.

#include "editor/session/probe.hpp"

#include <gmock/gmock.h>

#include "editor/moments.hpp"
#include "editor/plugins.hpp"
#include "torsor/scripting/script.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;

// A shipped scene after some steps, looked at.
struct Looked {
  Looked(const char* name, int steps)
      : run(scene_of(
            load_scene(std::string(TORSOR_SOURCE_DIR) + "/scenes/" + name, {}, &shipped_plugins()))) {
    run.advance(steps);
    moment = run.moment();
    probe.look_at(moment);
  }
  HandRun run;
  Probe probe;
  std::shared_ptr<const Moment> moment;
};

// The links of the elastic arm feel nothing but their springs, k = 2000, d = 0.5.
TEST(ProbeOfAMechanism, AnElasticJointGivesItsSpringsTorque) {
  Looked at("elastic_arm.lua", 53);
  const Snapshot& now = at.moment->state;
  const Answer& tau = at.probe.torque();
  ASSERT_EQ(tau.failure, "");
  for (size_t k = 0; k < 2; ++k) {
    const double spring = -2000 * (now.q[k] - now.motor_q[k]) - 0.5 * (now.v[k] - now.motor_v[k]);
    EXPECT_NEAR(tau.x[k], spring, 1e-10 * std::abs(spring)) << k;
  }
}

// The block is held 0.037 m from where its spring of 100 N/m is at rest.
TEST(ProbeOfAMechanism, WhatStictionHoldsStandsStill) {
  Looked at("stiction.lua", 380);
  const double spring = -100 * (at.moment->state.q[0] - 0.3);
  ASSERT_GT(std::abs(spring), 1);
  EXPECT_EQ(at.probe.acceleration().x, std::vector{0.0});
  EXPECT_NEAR(at.probe.joint_forces().constraint[0], -spring, 1e-14 * std::abs(spring));
  EXPECT_EQ(at.probe.joint_forces().friction, std::vector{0.0});
}

// Ground, drag, and a spring between frames act on the ball's body, thrown up from the ground here: nothing is left for its joints.
TEST(ProbeOfAMechanism, ForcesActOnBodies) {
  Looked at("dropped_ball.lua", 52);
  const double up = at.probe.acceleration().x[1];
  ASSERT_GT(up, 9.81);
  for (const double tau : at.probe.torque().x) EXPECT_NEAR(tau, 0, 1e-10 * up);
}

TEST(ProbeOfAMechanism, TheLedgerCloses) {
  for (const char* scene : {"elastic_arm.lua", "stiction.lua", "dropped_ball.lua", "tumbling_body.lua"}) {
    Looked at(scene, 200);
    const Energy energy = at.probe.simulation().energy();
    double scale = std::abs(energy.kinetic) + std::abs(energy.potential) + energy.elastic;
    for (const double work : at.moment->state.work) scale += std::abs(work);
    EXPECT_LT(std::abs(ledger_error(energy, at.moment->state)), 1e-6 * scale) << scene;
  }
}

// Torques and the solver in force are those of the moment.
TEST(ProbeOfAMechanism, FollowsTheRunsChanges) {
  Looked at("elastic_arm.lua", 10);
  at.run.change(10, TorqueChange{{1, 2}});
  at.run.change(10, SolverChange{"lie_group"});
  at.run.advance(3);
  at.probe.look_at(at.run.moment());
  EXPECT_EQ(at.probe.solver().id(), "solver.lie_group");
  EXPECT_THAT(at.probe.simulation().constant_torque(), testing::ElementsAre(1, 2));
  const std::span<const double> vdot = at.run.simulation().acceleration();
  EXPECT_EQ(at.probe.acceleration().x, std::vector(vdot.begin(), vdot.end()));
}

}  // namespace
}  // namespace torsor::editor::test
