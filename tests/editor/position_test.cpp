// Tests of single positions: a slider shows the value that it sets, and no other coordinate of the
// joint changes.

#include "editor/edits/position.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "support/random_robot.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;

TEST(Position, SetsWhatItShows) {
  for (const uint64_t seed : {1, 2, 3}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const auto model = build(random_robot(12, test::Shape::tree, seed, test::Kinds::every));
    std::vector<double> q = random_position(random, *model, 1);
    for (int k = 0; k < model->n_v; ++k) {
      std::vector<double> before, after;
      for (int l = 0; l < model->n_v; ++l) before.push_back(position(*model, q, l));
      before[size_t(k)] = random.uniform(-1, 1);
      set_position(*model, q, k, before[size_t(k)]);
      for (int l = 0; l < model->n_v; ++l) after.push_back(position(*model, q, l));
      EXPECT_THAT(after, testing::Pointwise(testing::DoubleNear(1e-14), before));
    }
    const std::vector<double> as_set = q;
    normalise(*model, q);
    EXPECT_EQ(q, as_set) << "quaternions stay of norm 1";
  }
}

TEST(Position, AColumnMovesItsOwnCoordinateOrTheLikeOne) {
  const auto model = build(random_robot(14, test::Shape::tree, 5, test::Kinds::every));
  const std::vector<Position> all = positions(*model);
  std::vector<int> moved = moved_positions(*model);
  for (int c = 0; c < model->n_v; ++c) {
    const Position& place = all[size_t(moved[size_t(c)])];
    EXPECT_EQ(place.unit == "rad", model->dof(c).turns()) << place.name;
    if (model->coordinate[size_t(c)] >= 0) {
      EXPECT_EQ(place.coordinate, model->coordinate[size_t(c)]);
    }
  }
  std::ranges::sort(moved);
  for (int c = 0; c < model->n_v; ++c) EXPECT_EQ(moved[size_t(c)], c) << "each once";
}

TEST(Position, HasANameForEachColumn) {
  RobotDescription robot;
  robot.name = "r";
  LinkDescription link;
  link.name = "body";
  link.joint.name = "base";
  link.joint.kind = JointKind::floating;
  robot.links = {link};
  std::vector<std::string> names;
  for (const Position& each : positions(*build(robot)))
    names.push_back(each.name + " " + std::string(each.unit));
  EXPECT_THAT(names, testing::ElementsAre("base.x m", "base.y m", "base.z m", "base.rx rad",
                                          "base.ry rad", "base.rz rad"));
}

}  // namespace
}  // namespace torsor::editor::test
