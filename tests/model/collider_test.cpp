// Tests of colliders in models: places, pairs that collide, materials, and rejected descriptions.

#include "torsor/model/collider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/difference.hpp"
#include "support/error_of.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

CollisionDescription ball_of(const std::string& name = "", const std::string& group = "") {
  return {.name = name, .shape = collision_shape(Sphere{0.1}), .group = group};
}

LinkDescription link_with_ball(const std::string& name, const std::string& parent, JointKind kind,
                               double mass = 1) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.kind = kind;
  if (kind != JointKind::fixed) out.joint.name = name + "_joint";
  out.joint.placement = ScrewPlacement{.X_PL = translation<double>({1, 0, 0})};
  out.inertia = mass > 0 ? inertia_about_com(mass, {0.1, 0, 0}, {1, 1, 1, 0, 0, 0})
                         : SpatialInertia<double>::zero();
  out.collisions = {ball_of()};
  out.source = "arm.lua:12";
  return out;
}

// Returns base (fixed) -> a -> b -> c, and d fixed to b. Each link has one collider.
RobotDescription arm_with_balls(const std::string& name = "arm") {
  RobotDescription out;
  out.name = name;
  out.links = {link_with_ball("base", "", JointKind::fixed),
               link_with_ball("a", "base", JointKind::revolute),
               link_with_ball("b", "a", JointKind::revolute),
               link_with_ball("c", "b", JointKind::revolute),
               link_with_ball("d", "b", JointKind::fixed)};
  return out;
}

std::shared_ptr<const Model> with_ground(const RobotDescription& robot) {
  ModelBuilder builder;
  builder.add(robot);
  builder.add(CollisionDescription{.name = "ground", .shape = {ShapeKind::half_space}});
  return builder.build();
}

bool collide(const Model& model, const std::string& a, const std::string& b) {
  const int i = model.collider(a), j = model.collider(b);
  EXPECT_EQ(may_collide(model, i, j), may_collide(model, j, i));
  return may_collide(model, i, j);
}

TEST(Colliders, KeepTheirPlaceOnTheLink) {
  Random random(5);
  RobotDescription robot = random_robot(12, TreeShape::tree, 3);
  for (LinkDescription& each : robot.links) {
    each.collisions = {ball_of(), ball_of()};
    for (CollisionDescription& collision : each.collisions) collision.X_LC = random.pose(1);
  }
  for (const bool com_frames : {false, true}) {
    robot.com_frames = false;
    const auto plain = build(robot);
    robot.com_frames = com_frames;
    const auto model = build(robot);
    ASSERT_EQ(model->colliders.size(), 2 * robot.links.size());
    std::vector<size_t> seen(robot.links.size());
    for (const Collider& collider : model->colliders) {
      const auto given = size_t(collider.link);
      ASSERT_EQ(robot.links[given].name, model->links[given].name);
      const Frame& L = plain->frames[size_t(plain->links[given].frame)];
      EXPECT_EQ(collider.body, L.body);
      EXPECT_LT(
          difference(collider.X_BC, L.X_BF * robot.links[given].collisions[seen[given]++].X_LC),
          1e-14);
    }
  }
}

TEST(Colliders, OfAdjacentLinksDoNotCollide) {
  const auto model = with_ground(arm_with_balls());
  EXPECT_FALSE(collide(*model, "base_1", "a_1"));
  EXPECT_FALSE(collide(*model, "a_1", "b_1"));
  EXPECT_FALSE(collide(*model, "a_1", "d_1"));  // d is fixed to b
  EXPECT_FALSE(collide(*model, "b_1", "d_1"));  // one body
  EXPECT_FALSE(collide(*model, "c_1", "d_1"));
  EXPECT_FALSE(collide(*model, "base_1", "ground"));
  EXPECT_TRUE(collide(*model, "base_1", "b_1"));
  EXPECT_TRUE(collide(*model, "a_1", "c_1"));
  EXPECT_TRUE(collide(*model, "a_1", "ground"));
}

TEST(Colliders, OfFloatingLinksCollideWithFixedOnes) {
  RobotDescription robot = arm_with_balls();
  robot.links.push_back(link_with_ball("free", "base", JointKind::floating));
  robot.links.back().joint.placement = ScrewPlacement{};
  const auto model = build(robot);
  EXPECT_TRUE(collide(*model, "free_1", "base_1"));
}

TEST(Colliders, AreAdjacentAcrossMasslessLinks) {
  RobotDescription robot = arm_with_balls();
  LinkDescription& massless = robot.links[2];
  massless.collisions.clear();
  massless.inertia = SpatialInertia<double>::zero();
  robot.links.pop_back();  // d gives the body a mass and a collider
  EXPECT_FALSE(collide(*build(robot), "a_1", "c_1"));
  robot.links[2].collisions = {ball_of()};
  EXPECT_TRUE(collide(*build(robot), "a_1", "c_1"));
  RobotDescription universal = arm_with_balls();
  universal.links[2].joint.second_axis = Vec3<double>{1, 0, 0};
  EXPECT_FALSE(collide(*build(universal), "a_1", "b_1"));
}

TEST(Colliders, OfLinksThatAClosureConnectsDoNotCollide) {
  for (const bool cut : {false, true}) {
    RobotDescription robot = arm_with_balls();
    ClosureDescription closure;
    closure.name = "loop";
    closure.kind = ClosureKind::revolute;
    closure.frames[0] = "a";
    closure.frames[1] = "c";
    if (cut) closure.joint.emplace().damping = 1;
    robot.closures = {closure};
    const auto model = build(robot);
    EXPECT_EQ(model->closures[0].cut.has_value(), cut);
    EXPECT_EQ(model->colliders.size(), 5u);
    EXPECT_FALSE(collide(*model, "a_1", "c_1"));
    EXPECT_TRUE(collide(*model, "base_1", "c_1"));
  }
}

TEST(Colliders, OfRobotsHaveTheirNames) {
  ModelBuilder builder;
  builder.add(arm_with_balls("left"));
  builder.add(arm_with_balls("right"), translation<double>({0, 3, 0}));
  builder.add(CollisionDescription{.shape = {ShapeKind::half_space}});
  builder.add(CollisionPairDescription{
      .names = {"left.a", "right.a"}, .collide = false, .mu = {}, .restitution = {}});
  const auto model = builder.build();
  EXPECT_EQ(model->colliders.size(), 11u);
  EXPECT_FALSE(collide(*model, "left.a_1", "left.b_1"));
  EXPECT_FALSE(collide(*model, "left.a_1", "right.a_1"));
  EXPECT_TRUE(collide(*model, "left.a_1", "right.b_1"));
  EXPECT_TRUE(collide(*model, "left.a_1", "right.base_1"));  // the base of another robot
  EXPECT_TRUE(collide(*model, "left.a_1", "world_1"));
}

TEST(Colliders, FollowGroupsAndRules) {
  RobotDescription robot = arm_with_balls();
  robot.links[0].collisions = {ball_of("", "fingers")};
  robot.links[2].collisions = {ball_of("tip", "fingers"), ball_of("", "nails")};
  robot.collision_pairs = {{.names = {"base", "c"}, .collide = false},
                           {.names = {"a", "b"}, .collide = true},
                           {.names = {"nails", "world"}, .collide = false},
                           {.names = {"c", "base"}, .collide = true, .mu = 0.25},
                           {.names = {"c", "base"}, .restitution = 1}};
  const auto model = with_ground(robot);
  EXPECT_FALSE(collide(*model, "base_1", "tip"));
  EXPECT_TRUE(collide(*model, "base_1", "b_2"));
  EXPECT_TRUE(collide(*model, "a_1", "tip"));
  EXPECT_FALSE(collide(*model, "a_1", "d_1"));
  EXPECT_FALSE(collide(*model, "b_2", "ground"));
  EXPECT_TRUE(collide(*model, "tip", "ground"));
  EXPECT_TRUE(collide(*model, "c_1", "base_1"));
  const ContactMaterial material =
      contact_material(*model, model->collider("c_1"), model->collider("base_1"));
  EXPECT_EQ(material.mu, 0.25);
  EXPECT_EQ(material.restitution, 1);
}

TEST(Colliders, CombineMaterials) {
  const ContactMaterial a{0.2, 0.5, 0.01, 0}, b{0.8, 0.25, 0.02, 0.003};
  for (const ContactMaterial& both : {combine(a, b), combine(b, a)}) {
    EXPECT_DOUBLE_EQ(both.mu, 0.4);
    EXPECT_EQ(both.restitution, 0.5);
    EXPECT_EQ(both.torsional, 0.02);
    EXPECT_EQ(both.rolling, 0.003);
  }
}

// Springs in series: the force of both is the same, and their compressions add up.
TEST(Colliders, CombineCompliance) {
  const ContactMaterial rigid{}, a{.stiffness = 49, .damping = 3},
      b{.stiffness = 147, .damping = 5};
  for (const ContactMaterial& both : {combine(rigid, a), combine(a, rigid)}) {
    EXPECT_EQ(both.stiffness, 49);
    EXPECT_EQ(both.damping, 3);
  }
  EXPECT_FALSE(combine(rigid, rigid).is_compliant());
  const ContactMaterial both = combine(a, b), same = combine(b, a);
  EXPECT_EQ(both.stiffness, same.stiffness);
  EXPECT_EQ(both.damping, same.damping);
  EXPECT_DOUBLE_EQ(both.stiffness, 49 * 0.75);
  // The dynamic stiffness of both at a low rate, 1 / (1 / (k_a + d_a s) + 1 / (k_b + d_b s)).
  const double s = 1e-6, in_series = 1 / (1 / (49 + 3 * s) + 1 / (147 + 5 * s));
  EXPECT_NEAR(both.damping, (in_series - both.stiffness) / s, 1e-6);
}

TEST(Colliders, BelongToTheFingerprint) {
  RobotDescription robot = arm_with_balls();
  std::vector<uint64_t> prints;
  const auto add = [&] { prints.push_back(fingerprint(*build(robot))); };
  add();
  robot.links[1].collisions[0].material.mu = 0.3;
  add();
  robot.links[1].collisions[0].material.stiffness = 1e4;
  add();
  robot.links[1].collisions[0].material.damping = 10;
  add();
  robot.links[1].collisions[0].X_LC.p.x = 1;
  add();
  robot.links[1].collisions[0].shape.size.x = 1;
  add();
  robot.collision_pairs = {{.names = {"base", "c"}, .collide = false}};
  add();
  robot.links[3].collisions[0].group = "g";
  add();
  for (LinkDescription& each : robot.links) each.collisions.clear();
  robot.collision_pairs.clear();
  add();
  std::ranges::sort(prints);
  EXPECT_EQ(std::ranges::unique(prints).size(), 0u);
}

template <class Change>
std::string message_with_balls(Change change) {
  RobotDescription robot = arm_with_balls();
  change(robot);
  return error_of([&] { (void)build(robot); });
}

TEST(Colliders, RejectImpossibleDescriptions) {
  const auto with = [](auto change) {
    return message_with_balls([&](RobotDescription& robot) {
      change(robot.links[1].collisions.emplace_back(ball_of("second")));
    });
  };
  const std::string place = "arm.lua:12: link 'a': collision 2: ";
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.mu = -0.1; }),
            place + "its mu is -0.1; it must be finite and not negative");
  EXPECT_THAT(with([](CollisionDescription& c) { c.material.mu = NAN; }),
              HasSubstr("finite and not negative"));
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.restitution = 1.5; }),
            place + "its restitution is 1.5; it must be from 0 to 1");
  EXPECT_THAT(with([](CollisionDescription& c) { c.material.restitution = NAN; }),
              HasSubstr("must be from 0 to 1"));
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.rolling = -1; }),
            place + "its rolling friction is -1; it must be finite and not negative");
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.stiffness = -1; }),
            place + "its stiffness is -1; it must be finite and not negative");
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.stiffness = HUGE_VAL; }),
            place + "its stiffness is inf; it must be finite and not negative");
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.stiffness = 2e12; }),
            place + "its stiffness is 2e+12 N/m; give at most 1e+12 N/m, or 0 for a rigid contact");
  EXPECT_THAT(with([](CollisionDescription& c) { c.material = {.stiffness = 1, .damping = NAN}; }),
              HasSubstr("its damping is nan; it must be finite and not negative"));
  EXPECT_EQ(with([](CollisionDescription& c) { c.material.damping = 5; }),
            place + "its damping is 5, and it has no stiffness; give both");
  EXPECT_EQ(
      with([](CollisionDescription& c) { c.material = {.restitution = 0.5, .stiffness = 1000}; }),
      place +
          "its restitution is 0.5, and its stiffness 1000; the rebound of a compliant contact "
          "follows from its damping: set one of them to 0, for a pair with collision_pair");
  EXPECT_EQ(with([](CollisionDescription& c) {
              c.shape = collision_shape(Box{{1, 0, 1}});
            }),
            place + "the size in y of the box is 0 m; it must be positive and finite");
  EXPECT_EQ(with([](CollisionDescription& c) { c.X_LC.p.z = NAN; }),
            place + "its pose has a value that is not a finite number");
  EXPECT_EQ(with([](CollisionDescription& c) { c.shape = {ShapeKind::convex}; }),
            place + "the convex shape has no points");
  EXPECT_EQ(with([](CollisionDescription& c) { c.name = "a_1"; }),
            "arm.lua:12: there are two collisions named 'a_1'; give each its own name");
}

TEST(Colliders, RejectRules) {
  const auto with = [](const CollisionPairDescription& rule) {
    return message_with_balls([&](RobotDescription& robot) { robot.collision_pairs = {rule}; });
  };
  EXPECT_THAT(with({.names = {"a", "bse"}, .collide = false, .source = "arm.lua:7"}),
              AllOf(HasSubstr("arm.lua:7: collision pair 'a', 'bse': there is no link, collider or "
                              "group 'bse'"),
                    HasSubstr("did you mean 'base'?")));
  EXPECT_EQ(with({.names = {"a", "c"}}),
            "collision pair 'a', 'c': it changes nothing; give collide, mu, restitution, "
            "torsional, rolling, stiffness or damping");
  EXPECT_EQ(with({.names = {"a", "c"}, .mu = -1}),
            "collision pair 'a', 'c': its mu is -1; it must be finite and not negative");
  EXPECT_EQ(with({.names = {"a", "c"}, .stiffness = -1}),
            "collision pair 'a', 'c': its stiffness is -1; it must be finite and not negative");
  EXPECT_EQ(with({.names = {"a", "c"}, .damping = 3}),
            "collision pair 'a', 'c': 'a_1' and 'c_1': its damping is 3, and it has no stiffness; "
            "give both");
  // Adjacent links do not collide.
  RobotDescription robot = arm_with_balls();
  robot.collision_pairs = {{.names = {"a", "b"}, .damping = 3}};
  EXPECT_NO_THROW((void)build(robot));
}

// A compliant surface and one with restitution have no common material without a rule.
TEST(Colliders, RejectRestitutionOfCompliantPairs) {
  const auto with = [](const std::vector<CollisionPairDescription>& rules) {
    RobotDescription robot = arm_with_balls();
    robot.links[1].collisions[0].material = {.stiffness = 500, .damping = 2};
    robot.links[1].collisions[0].source = "arm.lua:3";
    robot.links[3].collisions[0].material = {.restitution = 0.25};
    robot.links[3].collisions[0].source = "arm.lua:7";
    robot.collision_pairs = rules;
    return robot;
  };
  EXPECT_THAT(error_of([&] { (void)build(with({})); }),
              HasSubstr("arm.lua:7: the contact of 'a_1' and 'c_1': its restitution is 0.25, and "
                        "its stiffness 500; "));
  EXPECT_THAT(error_of([&] {
                (void)build(with({{.names = {"a", "c"}, .mu = 1, .source = "arm.lua:9"}}));
              }),
              HasSubstr("arm.lua:9: collision pair 'a', 'c': 'a_1' and 'c_1': its restitution"));
  const std::vector<CollisionPairDescription> remedies[] = {
      {{.names = {"a", "c"}, .collide = false}},
      {{.names = {"a", "c"}, .restitution = 0}},
      {{.names = {"a", "c"}, .mu = 1}, {.names = {"a", "c"}, .restitution = 0}},
      {{.names = {"a", "c"}, .stiffness = 0}}};
  for (const auto& rules : remedies) EXPECT_NO_THROW((void)build(with(rules)));
}

// A rule that makes a pair rigid removes its damping.
TEST(Colliders, ARuleMakesAPairRigid) {
  RobotDescription robot = arm_with_balls();
  robot.links[1].collisions[0].material = {.stiffness = 500, .damping = 2};
  robot.collision_pairs = {{.names = {"a", "c"}, .stiffness = 0},
                           {.names = {"a", "d"}, .stiffness = 100, .damping = 1}};
  const auto model = build(robot);
  const auto material = [&](const char* other) {
    return contact_material(*model, model->collider("a_1"), model->collider(other));
  };
  EXPECT_FALSE(material("c_1").is_compliant());
  EXPECT_EQ(material("c_1").damping, 0);
  EXPECT_EQ(material("d_1").stiffness, 100);
  EXPECT_EQ(material("d_1").damping, 1);
}

}  // namespace
}  // namespace torsor::test
