// Tests of the builder: dof, bodies, merged links, frames, several robots.

#include "torsor/model/builder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "model/difference.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

LinkDescription link(Random& random, const std::string& name, const std::string& parent,
                     JointKind kind) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.kind = kind;
  if (kind != JointKind::fixed) out.joint.name = name + "_joint";
  out.joint.placement = ScrewPlacement{.X_PL = random.pose(1)};
  out.inertia = random_inertia(random, 0.3, 2);
  return out;
}
Pose<double> placed(const LinkDescription& link) {
  return std::get<ScrewPlacement>(link.joint.placement).X_PL;
}

std::vector<std::string> joint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) names.push_back(joint.name);
  return names;
}

// Returns base -> a -> b -> c, and d fixed to b. The description lists c before its parent b.
RobotDescription tree(Random& random) {
  RobotDescription robot;
  robot.name = "tree";
  robot.links = {
      link(random, "c", "b", JointKind::prismatic), link(random, "base", "", JointKind::fixed),
      link(random, "d", "b", JointKind::fixed), link(random, "b", "a", JointKind::helical),
      link(random, "a", "base", JointKind::revolute)};
  return robot;
}

TEST(Builder, ColumnsFollowTheLinksByDefault) {
  Random random(1);
  const auto model = build(tree(random));
  EXPECT_THAT(joint_names(*model), ElementsAre("c_joint", "b_joint", "a_joint"));
  for (int k = 0; k < 3; ++k) {
    const Joint& joint = model->joints[size_t(k)];
    EXPECT_EQ(joint.q_index, k);
    EXPECT_EQ(joint.v_index, k);
    EXPECT_EQ(model->v_index[size_t(joint.body)], k);
    EXPECT_EQ(model->joint_of_body(joint.body), joint.name);
    EXPECT_EQ(model->joint_of_dof(k).name, joint.name);
  }
}

TEST(Builder, ColumnsFollowTheGivenOrder) {
  Random random(1);
  RobotDescription robot = tree(random);
  robot.dof_order = {"a_joint", "c_joint", "b_joint"};
  robot.links[0].joint.armature = 3;
  robot.links[0].joint.damping = 4;
  robot.links[0].joint.lower = -1;
  robot.links[0].joint.effort_limit = 7;
  const auto model = build(robot);
  EXPECT_EQ(joint_names(*model), robot.dof_order);
  EXPECT_THAT(model->armature, ElementsAre(0, 3, 0));
  EXPECT_THAT(model->damping, ElementsAre(0, 4, 0));
  EXPECT_EQ(model->joints[1].lower, -1);
  EXPECT_EQ(model->joints[1].effort_limit, 7);
  EXPECT_EQ(model->joints[1].kind, JointKind::prismatic);
}

TEST(Builder, BodiesComeAfterTheirParents) {
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    TORSOR_TRACE_SEED(seed);
    const RobotDescription robot = random_robot(15, Shape::tree, seed, Kinds::every);
    const auto model = build(robot);
    EXPECT_EQ(model->n_body, 16);
    EXPECT_EQ(joint_names(*model), robot.dof_order);
    for (int i = 1; i < model->n_body; ++i) {
      EXPECT_GE(model->parent[size_t(i)], 0);
      EXPECT_LT(model->parent[size_t(i)], i);
    }
    std::vector<std::string> described, kept;
    for (const LinkDescription& each : robot.links) described.push_back(each.name);
    for (const Link& each : model->links) kept.push_back(each.name);
    EXPECT_EQ(kept, described);
  }
}

// Checks that the bodies are depth first, in the order of the description.
TEST(Builder, BodiesAreDepthFirst) {
  Random random(8);
  RobotDescription robot;
  robot.name = "order";
  for (const auto& [name, parent] :
       std::vector<std::pair<const char*, const char*>>{{"left", ""},
                                                        {"right", ""},
                                                        {"left_a", "left"},
                                                        {"right_a", "right"},
                                                        {"left_b", "left"}})
    robot.links.push_back(link(random, name, parent, JointKind::revolute));
  const auto model = build(robot);
  std::vector<std::string> joints;
  for (int body = 1; body < model->n_body; ++body) joints.push_back(model->joint_of_body(body));
  EXPECT_THAT(joints, ElementsAre("left_joint", "left_a_joint", "left_b_joint", "right_joint",
                                  "right_a_joint"));
}

// Checks that b and d are one body. Its inertia is the sum of both, in the frame of the body. The
// base is part of the world, and its inertia is ignored.
TEST(Builder, FixedLinksAreLumpedAndKeepTheirFrames) {
  Random random(2);
  const RobotDescription robot = tree(random);
  const auto model = build(robot);
  const Link &b = model->links[3], &d = model->links[2], &base = model->links[1];
  const Frame &at_b = model->frames[size_t(b.frame)], &at_d = model->frames[size_t(d.frame)];
  EXPECT_EQ(model->n_body, 4);
  EXPECT_EQ(at_b.body, at_d.body);
  EXPECT_EQ(model->links[size_t(d.parent)].name, "b");
  EXPECT_EQ(base.parent, -1);
  EXPECT_LT(difference(at_d.X_BF, at_b.X_BF * placed(robot.links[2])), 1e-14);
  const SpatialInertia<double> sum =
      transform(at_b.X_BF, robot.links[3].inertia) + transform(at_d.X_BF, robot.links[2].inertia);
  EXPECT_LT(difference(model->inertia_B[size_t(at_b.body)], sum), 1e-14);
  EXPECT_LT(difference(d.inertia_L, robot.links[2].inertia), 1e-15);
  EXPECT_EQ(model->frames[size_t(base.frame)].body, 0);
  EXPECT_EQ(difference(model->inertia_B[0], SpatialInertia<double>::zero()), 0);
}

// Checks that a visual keeps its place on its link if the frame of the link moves to the COM.
TEST(Builder, VisualsKeepTheirPlace) {
  for (const bool com_frames : {false, true}) {
    Random random(4);
    RobotDescription robot = tree(random), plain = robot;
    robot.com_frames = com_frames;
    for (LinkDescription& each : robot.links)
      each.visuals = {{random.pose(1), Box{{1, 2, 3}}, Color{1, 0.5, 0, 1}},
                      {random.pose(1), Sphere{0.1}, {}}};
    ModelBuilder builder;  // second in the model, after another robot
    plain.name = "plain";
    builder.add(plain);
    builder.add(robot);
    const auto model = builder.build(), unmoved = build(plain);
    ASSERT_EQ(model->visuals.size(), 2 * robot.links.size());
    std::vector<size_t> seen(robot.links.size(), 0);
    for (const Visual& visual : model->visuals) {
      const auto link = size_t(visual.link) - plain.links.size();
      const VisualDescription& given = robot.links[link].visuals.at(seen[link]++);
      const Frame &F = model->frames[size_t(model->links[size_t(visual.link)].frame)],
                  &L = unmoved->frames[size_t(unmoved->links[link].frame)];
      EXPECT_EQ(F.name, "tree." + robot.links[link].name);
      EXPECT_LT(difference(F.X_BF * visual.X_FV, L.X_BF * given.X_LV), 1e-14);
      EXPECT_EQ(visual.shape.index(), given.shape.index());
      EXPECT_EQ(visual.color.has_value(), given.color.has_value());
    }
    EXPECT_THAT(seen, testing::Each(2u));
  }
}

// Equations: MR 9.41, 9.52.
TEST(Builder, ComFramesAreAtTheCom) {
  Random random(3);
  RobotDescription robot = tree(random);
  robot.links[4].inertia = SpatialInertia<double>::zero();  // a link without mass keeps its frame
  robot.frames.push_back({"tool", "c", random.pose(1), ""});
  const auto plain = build(robot);
  robot.com_frames = true;
  const auto com = build(robot);
  for (size_t i = 0; i < robot.links.size(); ++i) {
    const Pose<double> X_LF = inverse(plain->frames[i].X_BF) * com->frames[i].X_BF;
    const SpatialInertia<double>& M = robot.links[i].inertia;
    EXPECT_LT(norm(M.m * X_LF.p - M.h), 1e-14) << robot.links[i].name;
    EXPECT_LT(difference({X_LF.R, {0, 0, 0}}, Pose<double>::identity()), 1e-14);
    EXPECT_LT(norm(com->links[i].inertia_L.h), 1e-14);
    EXPECT_LT(difference(com->inertia_B[size_t(com->frames[i].body)],
                         plain->inertia_B[size_t(plain->frames[i].body)]),
              1e-15);
  }
  EXPECT_EQ(com->frames.back().name, "tool");
  // The pose of a frame is given relative to the frame of the description, not to the COM.
  EXPECT_EQ(difference(com->frames.back().X_BF, plain->frames.back().X_BF), 0);
}

TEST(Builder, NamesOfSeveralRobotsAreDistinct) {
  Random random(4);
  RobotDescription left = tree(random), right = tree(random);
  left.name = "left";
  right.name = "right";
  left.family = "planar_n_link";
  ModelBuilder builder;
  builder.add(left, translation<double>({-1, 0, 0}));
  EXPECT_EQ(builder.build()->family, "planar_n_link");
  builder.add(right, translation<double>({1, 0, 0}));
  const auto model = builder.build();
  EXPECT_EQ(model->n_v, 6);
  EXPECT_EQ(model->family, "");
  EXPECT_THAT(joint_names(*model), ElementsAre("left.c_joint", "left.b_joint", "left.a_joint",
                                               "right.c_joint", "right.b_joint", "right.a_joint"));
  const Robot& second = model->robots[size_t(model->robot("right"))];
  EXPECT_EQ(second.first_v, 3);
  EXPECT_EQ(second.n_v, 3);
  EXPECT_EQ(second.first_q, 3);
  EXPECT_EQ(second.n_q, 3);
  EXPECT_EQ(second.first_joint, 3);
  EXPECT_EQ(second.n_joint, 3);
  EXPECT_EQ(model->links[size_t(second.first_link)].name, "right.c");
  EXPECT_EQ(second.n_link, 5);
  const auto alone = build(left);
  EXPECT_EQ(alone->joints[0].name, "c_joint");
  EXPECT_EQ(alone->family, "planar_n_link");
}

TEST(Builder, ARobotIsPlacedAtItsBase) {
  Random random(5);
  const RobotDescription robot = tree(random);
  const Pose<double> X_WR = random.pose(2);
  ModelBuilder builder;
  builder.add(robot, X_WR);
  const auto model = builder.build();
  const Frame& base = model->frames[size_t(model->frame("base"))];
  EXPECT_LT(difference(base.X_BF, X_WR * placed(robot.links[1])), 1e-15);
}

TEST(Builder, PassesWarningsOn) {
  Random random(6);
  RobotDescription robot = tree(random);
  robot.warnings = {"robot.urdf:3: two colours"};
  EXPECT_THAT(build(robot)->warnings, ElementsAre("robot.urdf:3: two colours"));
}

TEST(Builder, UnknownNamesAreErrors) {
  Random random(7);
  const auto model = build(tree(random));
  for (const auto& ask : std::vector<std::function<int()>>{[&] { return model->joint("a_jiont"); },
                                                           [&] { return model->frame("bas"); },
                                                           [&] { return model->robot("tee"); }}) {
    try {
      ask();
      ADD_FAILURE() << "found";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("did you mean"));
    }
  }
}

// Checks that the builder does not overflow the stack for deep trees.
TEST(Builder, LongChains) {
  RobotDescription robot;
  robot.name = "rope";
  for (int i = 0; i < 5000; ++i) {
    LinkDescription next;
    next.name = "link" + std::to_string(i);
    if (i > 0) next.parent = "link" + std::to_string(i - 1);
    next.joint.name = "joint" + std::to_string(i);
    next.joint.kind = JointKind::revolute;
    robot.links.push_back(next);
  }
  std::reverse(robot.links.begin(), robot.links.end());
  EXPECT_EQ(build(robot)->n_body, 5001);
  robot.links.back().parent = "link4999";
  EXPECT_THROW(build(robot), Error);
}

}  // namespace
}  // namespace torsor::test
