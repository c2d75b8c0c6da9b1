// Positions one by one: what a slider sets is what it shows, and nothing else of the joint moves.

#include "editor/session/position.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_robot.hpp"

namespace torsor::editor::test {
namespace {

using namespace torsor::test;

TEST(Position, SetsWhatItShows) {
  for (const uint64_t seed : {1, 2, 3}) {
    TORSOR_TRACE_SEED(seed);
    test::Random random(seed);
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
  EXPECT_THAT(names, testing::ElementsAre("base.x m", "base.y m", "base.z m", "base.rx rad", "base.ry rad",
                                          "base.rz rad"));
}

}  // namespace
}  // namespace torsor::editor::test
