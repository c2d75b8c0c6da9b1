// Tests of the energy ledger, of its stacked areas, and of powers, against the laws of mechanics.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "editor/panels/energy/ledger.hpp"
#include "editor/plugins.hpp"
#include "editor/probe/probe.hpp"
#include "editor/states.hpp"
#include "torsor/run/experiment.hpp"
#include "torsor/scripting/scene/script.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;

HandRun run_of(const std::string& name, int steps) {
  HandRun run(scene_of(
      load_scene(std::string(TORSOR_SOURCE_DIR) + "/scenes/" + name, {}, &shipped_plugins())));
  run.advance(steps);
  return run;
}

Samples sampled(const HandRun& run, const std::string& signal) {
  Sampler sampler;
  sampler.request(run.state(), {signal});
  EXPECT_TRUE(sampler.wait(std::chrono::seconds(60)));
  Samples found;
  sampler.read(signal, [&](const Samples& samples) { found = samples; });
  EXPECT_EQ(found.failure, "");
  return found;
}

// Checks that the change of the stored energy equals the sum of the works and the stated error, for
// both zeros of the potential energy.
TEST(EnergyLedger, Closes) {
  for (const char* scene :
       {"elastic_arm.lua", "stiction.lua", "ship_crane.lua", "dropped_ball.lua"}) {
    const Samples samples = sampled(run_of(scene, 150), "energy");
    for (const bool from_world : {false, true}) {
      const Ledger start = ledger_of(samples, 0, from_world),
                   end = ledger_of(samples, 150, from_world);
      EXPECT_GT(end.largest, 0) << scene;
      EXPECT_NEAR(total(end.stored) - total(start.stored) - total(end.works), end.error.value,
                  1e-12 * (std::abs(total(end.stored)) + end.largest))
          << scene;
      EXPECT_TRUE(!from_world || end.stored[1].value == samples.values[1][150]) << scene;
      EXPECT_TRUE(from_world || end.stored[1].value >= 0) << scene;
    }
  }
}

TEST(EnergyLedger, NamesItsParts) {
  const Ledger ledger = ledger_of(sampled(run_of("stiction.lua", 50), "energy"), 0, false);
  EXPECT_EQ(ledger.stored[2].name, "elastic");
  EXPECT_EQ(ledger.works[size_t(Work::stops)].name, "stops");
  EXPECT_EQ(ledger.error.name, "error");
  EXPECT_TRUE(ledger.works[size_t(Work::friction)].ever);
  EXPECT_FALSE(ledger.works[size_t(Work::wrenches)].ever);
}

// Checks that a work and its power have the same colour, in any order of the columns.
TEST(EnergyLedger, HasOneColorForAWorkAndItsPower) {
  const HandRun run = run_of("elastic_arm.lua", 50);
  const Ledger ledger = ledger_of(sampled(run, "energy"), 0, false);
  Samples power = sampled(run, "power");
  std::ranges::reverse(power.columns);
  std::ranges::reverse(power.values);
  const std::vector<LedgerPart> powers = powers_of(power, 0);
  EXPECT_GE(powers.size(), 2u);
  std::set<int> colors;
  for (const auto* parts : {&ledger.stored, &ledger.works})
    for (const LedgerPart& part : *parts) {
      EXPECT_TRUE(colors.insert(part.color).second)
          << part.name << " has the colour of another part";
      for (const LedgerPart& rate : powers)
        EXPECT_EQ(rate.color == part.color, rate.name == part.name);
    }
}

Series series(std::initializer_list<double> samples) {
  Series out;
  for (const double sample : samples) out.push(sample);
  return out;
}

TEST(Stack, PilesEachSignOnItsSide) {
  const Series a = series({2, -1, 0}), b = series({3, 4, 5}), c = series({-1, -2, 0});
  const StackedAreas stack =
      stacked(std::vector<StackPart>{{&a}, {&b, 1}, {&c}}, {0, 1, 2}, {0, 3}, 10);
  ASSERT_EQ(stack.above[1].size(), 3u);
  EXPECT_EQ(stack.above[1][0].low, 2);
  EXPECT_EQ(stack.above[1][0].high, 4);
  EXPECT_EQ(stack.above[1][1].low, 0);
  EXPECT_EQ(stack.below[2][1].high, -1);
  EXPECT_EQ(stack.below[2][1].low, -3);
  EXPECT_TRUE(stack.above[2].empty());
  EXPECT_TRUE(stack.below[1].empty());
  EXPECT_EQ(stack.sum[1].value, 0);
  EXPECT_EQ(stack.extremes.low, -3);
  EXPECT_EQ(stack.extremes.high, 4);
}

// Checks that the drawn samples remain the same while a run grows, except that every other one may
// be removed.
TEST(Stack, RemovesSamplesWithoutMovingOthers) {
  Series values;
  std::vector<double> time, before;
  for (int k = 0; k < 1000; ++k) {
    values.push(k);
    time.push_back(k);
    if (k < 700) continue;
    const StackedAreas stack =
        stacked(std::vector<StackPart>{{&values}}, time, {0, time.size()}, 100);
    EXPECT_LE(stack.sum.size(), 102u);
    EXPECT_EQ(stack.sum.back().time, k);
    std::vector<double> taken;
    for (const PlotPoint& point : stack.sum) taken.push_back(point.time);
    taken.pop_back();
    EXPECT_TRUE(std::ranges::includes(taken, before) || std::ranges::includes(before, taken)) << k;
    before = taken;
  }
}

// Checks that the powers of all joints add up to the rates of the works, computed by differences.
// The scenes have springs, bristles, elastic joints, stiction, prescribed joints and forces.
TEST(Powers, AreTheRatesOfTheWorks) {
  for (const char* scene :
       {"elastic_arm.lua", "stiction.lua", "ship_crane.lua", "dropped_ball.lua"}) {
    HandRun run = run_of(scene, 60);
    Simulation& s = run.simulation();
    const auto before = s.snapshot().work;
    run.advance(1);
    Probe probe;
    probe.look_at(run.state());
    const JointPowers joints = probe.joint_powers();
    const Simulation::Powers powers = s.powers();
    const std::vector<double> by_work(powers.by_work.begin(), powers.by_work.end());
    double driven = 0, lost = 0, size = 0;
    for (size_t c = 0; c < joints.motors.size(); ++c) {
      driven += joints.motors[c] + joints.constraint[c];
      lost += joints.friction[c];
      size += std::abs(joints.motors[c]) + std::abs(joints.constraint[c]) +
              std::abs(joints.friction[c]);
    }
    EXPECT_NEAR(driven, by_work[size_t(Work::motors)], 1e-12 * size) << scene;
    EXPECT_NEAR(lost, by_work[size_t(Work::friction)] + by_work[size_t(Work::damping)],
                1e-12 * size)
        << scene;
    run.advance(1);
    for (const double power : by_work) size += std::abs(power);
    for (size_t k = 0; k < by_work.size(); ++k)
      EXPECT_NEAR((s.snapshot().work[k] - before[k]) / (2 * s.dt()), by_work[k], 5e-3 * size)
          << scene << k;
    EXPECT_GT(size, 0) << scene;
  }
}

}  // namespace
}  // namespace torsor::editor::test
