// Tests of the recorded signals against their definitions.

#include "torsor/signals/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "simulation/robots.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

struct Recorded {
  std::vector<Column> columns;
  std::vector<double> row;
  double operator[](const std::string& name) const {
    for (size_t k = 0; k < columns.size(); ++k)
      if (columns[k].name == name) return row[k];
    ADD_FAILURE() << "no column " << name;
    return NAN;
  }
  std::string unit(const std::string& name) const {
    for (const Column& column : columns)
      if (column.name == name) return column.unit;
    return "no column " + name;
  }
};

// Returns the first row of the pendulum at q = 1, v = 2, with damping 0.5 and torque 3.
Recorded record_pendulum(const std::vector<std::string>& signals) {
  const auto model = build(pendulum(0.5));
  Simulation simulation(model, solver_factory(), Integrator::rk4, 1e-3);
  simulation.set_gravity({0, -g, 0});
  simulation.set_load({.tau = {3}});
  simulation.set_state(std::vector<double>{1}, std::vector<double>{2});
  Recorder recorder(*model, signals);
  const auto row = recorder.sample(simulation);
  return {recorder.columns(), {row.begin(), row.end()}};
}

TEST(Recorder, JointSignalsAreThoseOfThePendulum) {
  const std::string robot = pendulum().name;
  const Recorded r = record_pendulum(
      {robot + ".q", robot + ".v", robot + ".vdot", robot + ".tau", robot + ".friction"});
  EXPECT_EQ(r.columns[0].name, "time");
  EXPECT_EQ(r["time"], 0);
  EXPECT_EQ(r[robot + ".q.joint1"], 1);
  EXPECT_EQ(r[robot + ".v.joint1"], 2);
  EXPECT_NEAR(r[robot + ".vdot.joint1"], 3 - 0.5 * 2 - g * std::cos(1), 1e-14);
  EXPECT_EQ(r[robot + ".tau.joint1"], 3);
  EXPECT_EQ(r[robot + ".friction.joint1"], 0.5 * 2);
  EXPECT_EQ(r.unit(robot + ".q.joint1"), "rad");
  EXPECT_EQ(r.unit(robot + ".vdot.joint1"), "rad/s^2");
  EXPECT_EQ(r.unit(robot + ".tau.joint1"), "N m");
}

TEST(Recorder, TheTorqueIsSplit) {
  const std::string robot = pendulum().name;
  const Recorded r = record_pendulum({robot + ".vdot", robot + ".inertial", robot + ".centrifugal",
                                      robot + ".coriolis", robot + ".gravity"});
  EXPECT_NEAR(r[robot + ".inertial.joint1"], r[robot + ".vdot.joint1"], 1e-14);
  EXPECT_NEAR(r[robot + ".gravity.joint1"], g * std::cos(1), 1e-14);
  EXPECT_NEAR(r[robot + ".centrifugal.joint1"], 0, 1e-14);
  EXPECT_EQ(r.unit(robot + ".coriolis.joint1"), "N m");
}

// Compares the split of the torques of two links with MR 9.8. The links have 1 m, with 1 kg at
// their ends, so h = sin q2.
TEST(Recorder, TheTorqueOfTwoLinksIsSplit) {
  const auto model = build(planar_n_link(Vector{{1, 1}}, Vector{{1, 1}}));
  Simulation simulation(model, solver_factory(), Integrator::rk4, 1e-3);
  simulation.set_gravity({0, -g, 0});
  simulation.set_load({.tau = {3, 4}});
  simulation.set_state(std::vector<double>{0.2, 0.7}, std::vector<double>{2, -3});
  const auto split = simulation.torque_split();
  const double h = std::sin(0.7);
  EXPECT_NEAR(split.centrifugal[0], -h * 9, 1e-12);
  EXPECT_NEAR(split.centrifugal[1], h * 4, 1e-12);
  EXPECT_NEAR(split.coriolis[0], -2 * h * 2 * -3, 1e-12);
  EXPECT_NEAR(split.coriolis[1], 0, 1e-12);
  for (const int k : {0, 1})
    EXPECT_NEAR(split.inertial[k] + split.centrifugal[k] + split.coriolis[k] + split.gravity[k],
                3 + k, 1e-11);
}

TEST(Recorder, FramesAndEnergyAreThoseOfThePendulum) {
  const std::string robot = pendulum().name;
  const Recorded r = record_pendulum({robot + ".pose.tip1", robot + ".twist.tip1", "energy"});
  EXPECT_NEAR(r[robot + ".pose.tip1.x"], std::cos(1), 1e-15);
  EXPECT_NEAR(r[robot + ".pose.tip1.y"], std::sin(1), 1e-15);
  EXPECT_NEAR(r[robot + ".pose.tip1.qw"], std::cos(0.5), 1e-15);
  EXPECT_NEAR(r[robot + ".pose.tip1.qz"], std::sin(0.5), 1e-15);
  EXPECT_NEAR(r[robot + ".twist.tip1.wz"], 2, 1e-15);
  EXPECT_NEAR(r[robot + ".twist.tip1.vy"], 2, 1e-15);
  EXPECT_NEAR(r["energy.kinetic"], 2, 1e-14);
  EXPECT_NEAR(r["energy.potential"], g * std::sin(1), 1e-14);
  EXPECT_EQ(r["energy.error"], 0);
  EXPECT_EQ(r.unit("energy.kinetic"), "J");
  EXPECT_EQ(r.columns[1].frame, "world");
}

TEST(Recorder, PrismaticJointsHaveMetresAndNewtons) {
  const auto model = build(slider());
  const Recorder recorder(*model, {"slider.q", "slider.tau"});
  EXPECT_EQ(recorder.columns()[1].unit, "m");
  EXPECT_EQ(recorder.columns()[2].unit, "N");
}

TEST(Recorder, TwoRobotsKeepTheirOwnSignals) {
  ModelBuilder builder;
  RobotDescription left = slider(), right = slider();
  left.name = "left";
  right.name = "right";
  builder.add(left);
  builder.add(right, translation<double>({0, 1, 0}));
  const auto model = builder.build();
  Simulation simulation(model, solver_factory(), Integrator::rk4, 1e-3);
  simulation.set_state(std::vector<double>{1, 2}, std::vector<double>{3, 4});
  Recorder recorder(*model, {"right.q", "left.v", "right.pose.cart"});
  const auto row = recorder.sample(simulation);
  EXPECT_EQ(recorder.columns()[1].name, "right.q.rail");
  EXPECT_EQ(row[1], 2);
  EXPECT_EQ(row[2], 3);
  EXPECT_EQ(recorder.columns()[3].name, "right.pose.cart.x");
  EXPECT_EQ(row[3], 2);
  EXPECT_EQ(row[4], 1);
}

TEST(Recorder, EverySignalItListsCanBeRecorded) {
  const auto model = build(pendulum());
  EXPECT_NO_THROW(Recorder(*model, Recorder::signals(*model)));
}

TEST(Recorder, AnUnknownOrRepeatedSignalIsRejected) {
  const auto model = build(slider());
  const auto error = [&](const std::vector<std::string>& signals) -> std::string {
    try {
      Recorder(*model, signals);
    } catch (const Error& e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_THAT(error({"slider.qq"}), HasSubstr("did you mean 'slider.q'"));
  EXPECT_THAT(error({"slidr.vdot"}), HasSubstr("did you mean 'slider.vdot'"));
  EXPECT_THAT(error({"heat"}), HasSubstr("energy, power, pull, slider.q"));
  EXPECT_THAT(error({"slider.q", "slider.q"}), HasSubstr("twice"));
}

}  // namespace
}  // namespace torsor::test
