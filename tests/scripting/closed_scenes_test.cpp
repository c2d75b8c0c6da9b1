// Tests of the scenes with closed loops and gears: the loops stay closed, and the mechanisms move
// as their geometry says.

#include <cmath>

#include "scripting/scene_run.hpp"
#include "support/reference.hpp"
#include "torsor/constraints/loops/mobility.hpp"

namespace torsor::test::closed_scenes {
namespace {

constexpr double pi = 3.14159265358979323846;

struct Recorded {
  std::vector<Column> columns;
  std::vector<std::vector<double>> rows;
  double open = 0;  // largest error of a closure
  int mobility = 0;

  double at(size_t row, const std::string& name) const {
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i].name == name) return rows[row][i];
    ADD_FAILURE() << "no column " << name;
    return NAN;
  }
};

Recorded run_scene(const std::string& name, const Overrides& overrides = {}) {
  const std::filesystem::path file =
      std::filesystem::path(TORSOR_SOURCE_DIR) / "scenes" / (name + ".lua");
  Run run(load_scene(file, overrides, &registry()));
  Recorded out{run.columns(), {}};
  run.execute([&](std::span<const double> row) { out.rows.emplace_back(row.begin(), row.end()); },
              [&](const Simulation& s) {
                for (const double error : s.closure_errors())
                  out.open = std::max(out.open, std::abs(error));
                return true;
              });
  out.mobility = mobility(run.simulation().state());
  return out;
}

TEST(ClosedScenes, StayClosedAndHaveTheirMobility) {
  for (const auto& [name, mobility] : {std::pair{"four_bar", 1},
                                       {"crank_slider", 1},
                                       {"five_bar", 2},
                                       {"parallelogram", 1},
                                       {"bricard", 1},
                                       {"delta", 3},
                                       {"stewart_platform", 6},
                                       {"planetary_gear", 2},
                                       {"closed_leg", 2}}) {
    const Recorded out = run_scene(name);
    EXPECT_LT(out.open, 1e-12) << name;
    EXPECT_EQ(out.mobility, mobility) << name;
  }
}

TEST(ClosedScenes, TheFiveBarDrawsACircle) {
  const Recorded out = run_scene("five_bar");
  for (size_t row = 30; row < out.rows.size(); ++row)
    EXPECT_NEAR(std::hypot(out.at(row, "plotter.pose.left_end.x") - 0.15,
                           out.at(row, "plotter.pose.left_end.z") - 0.5),
                0.08, 2e-3);
}

TEST(ClosedScenes, TheDeltaFollowsItsCurveWithoutTurning) {
  const Recorded out = run_scene("delta");
  for (size_t row = 20; row < out.rows.size(); ++row) {
    const double s = 2 * pi * out.at(row, "time"), w = s - std::sin(s);
    EXPECT_NEAR(out.at(row, "delta.pose.platform.x"), 0.10 * std::sin(w), 6e-3);
    EXPECT_NEAR(out.at(row, "delta.pose.platform.y"), 0.08 * std::cos(w), 6e-3);
    EXPECT_NEAR(out.at(row, "delta.pose.platform.z"), -0.47 + 0.03 * std::sin(2 * w), 1e-2);
    EXPECT_NEAR(std::abs(out.at(row, "delta.pose.platform.qw")), 1, 1e-12);
  }
}

TEST(ClosedScenes, TheParallelogramRemainsOne) {
  for (const char* third : {"false", "true"}) {
    const Recorded out = run_scene("parallelogram", {{"third", third}});
    for (size_t row = 0; row < out.rows.size(); ++row)
      EXPECT_NEAR(out.at(row, "linkage.q.pivot2"), out.at(row, "linkage.q.drive"), 1e-9);
    EXPECT_GT(out.at(out.rows.size() - 1, "linkage.q.drive"), 2 * pi) << "it passes both lines";
  }
}

TEST(ClosedScenes, ThePlanetaryGearObeysWillis) {
  const Recorded out = run_scene("planetary_gear");
  for (size_t row = 0; row < out.rows.size(); ++row) {
    const double carrier = out.at(row, "gear.v.carrier");
    EXPECT_NEAR(20 * (out.at(row, "gear.v.sun") - carrier),
                -52 * (out.at(row, "gear.v.ring") - carrier), 1e-9);
  }
  EXPECT_NEAR(out.at(20, "gear.v.ring"), 0, 1e-9) << "the brake holds";
  EXPECT_LT(out.at(out.rows.size() - 1, "gear.v.ring"), -0.1) << "the brake slips";
}

TEST(ClosedScenes, TheLegSquats) {
  const Recorded out = run_scene("closed_leg");
  const auto height = [&](size_t row) { return out.at(row, "leg.q.guide"); };
  EXPECT_NEAR(height(0), 0, 0.02);
  EXPECT_LT(height(75), -0.05) << "at half of the period";
  EXPECT_NEAR(height(150), height(0), 0.03);
  // The ground bears the weight of the leg and the pelvis on average.
  double force = 0;
  for (size_t row = 0; row < 150; ++row) force += out.at(row, "closure.contact.fz") / 150;
  EXPECT_NEAR(std::abs(force), 9.81 * (12 + 3 + 0.5 + 1 + 0.6), 15);
}

TEST(ClosedScenes, TheCrankMovesThePiston) {
  const Recorded out = run_scene("crank_slider");
  for (size_t row = 0; row < out.rows.size(); ++row) {
    const double a = out.at(row, "engine.q.shaft"), z = -0.1 * std::sin(a) - 0.02;
    EXPECT_NEAR(out.at(row, "engine.q.cylinder"),
                0.1 * std::cos(a) + std::sqrt(0.35 * 0.35 - z * z), 1e-12);
    // The pin turns from the piston to the rod.
    EXPECT_NEAR(
        std::remainder(out.at(row, "engine.q.pin") - a - out.at(row, "engine.q.big_end"), 2 * pi),
        0, 1e-12);
  }
  EXPECT_LT(out.at(out.rows.size() - 1, "energy.friction"), -0.1);
}

}  // namespace
}  // namespace torsor::test::closed_scenes
