// Tests of invalid descriptions: each error is one line with the place and the cause.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "torsor/model/builder.hpp"

namespace torsor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

LinkDescription link(const std::string& name, const std::string& parent, const std::string& joint) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.name = joint;
  out.joint.kind = JointKind::revolute;
  out.inertia = inertia_about_com(1, {0, 0, 0.1}, {0.1, 0.1, 0.1, 0, 0, 0});
  out.source = "arm.lua:" + std::to_string(10 + name.back() - '0');
  return out;
}

// Returns three revolute links in a row: link1, link2, link3. Their source is lines 11, 12, 13 of
// arm.lua.
RobotDescription arm() {
  RobotDescription robot;
  robot.name = "arm";
  robot.links = {link("link1", "", "hip"), link("link2", "link1", "knee"),
                 link("link3", "link2", "ankle")};
  return robot;
}

std::string message(const std::function<void(RobotDescription&)>& spoil) {
  RobotDescription robot = arm();
  spoil(robot);
  try {
    build(robot);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// Returns a matcher of one line that starts with `place` and contains the texts.
template <class... Texts>
auto says(const char* place, Texts... texts) {
  return AllOf(StartsWith(std::string(place)), Not(HasSubstr("\n")), HasSubstr(texts)...);
}

TEST(BuilderErrors, TheArmItselfIsValid) {
  EXPECT_EQ(message([](RobotDescription&) {}), "no error");
}

TEST(BuilderErrors, Names) {
  EXPECT_THAT(message([](RobotDescription& r) { r.links[1].name = ""; }),
              says("arm.lua:12", "name"));
  EXPECT_THAT(message([](RobotDescription& r) { r.links[1].joint.name = ""; }),
              says("arm.lua:12", "link2", "revolute", "name"));
  EXPECT_THAT(message([](RobotDescription& r) { r.links[2].name = "link1"; }),
              says("arm.lua:13", "two links named 'link1'", "arm.lua:11"));
  EXPECT_THAT(message([](RobotDescription& r) { r.links[2].joint.name = "hip"; }),
              says("arm.lua:13", "two joints named 'hip'", "arm.lua:11"));
}

// Checks that names have one line and valid UTF-8, because they appear in the headers of recordings
// and in JSON.
TEST(BuilderErrors, NamesAreTextOnOneLine) {
  for (const std::string& bad : {std::string("a\nb"), std::string("a\xff"), std::string("a\0b", 3),
                                 std::string("\x1b[2J")}) {
    EXPECT_THAT(message([&](RobotDescription& r) { r.links[1].name = bad; }),
                says("arm.lua:12", "name of a link"));
    EXPECT_THAT(message([&](RobotDescription& r) { r.links[1].joint.name = bad; }),
                says("arm.lua:12", "name of a joint"));
    EXPECT_THAT(message([&](RobotDescription& r) { r.name = bad; }),
                says("", "name of a robot", "UTF-8"));
  }
  EXPECT_EQ(message([](RobotDescription& r) { r.name = "Gelenk \xc3\xa4, \"links\""; }),
            "no error");
}

TEST(BuilderErrors, UnsupportedPropertiesOfAJoint) {
  EXPECT_THAT(message([](RobotDescription& r) { r.links[0].joint.pitch = 1; }),
              says("arm.lua:11", "hip", "pitch", "helical"));
  const auto fixed = [](auto change) {
    return message([&](RobotDescription& r) {
      r.links[0].joint = JointDescription();
      r.links[0].joint.name = "hip";
      r.dof_order.clear();
      change(r.links[0].joint);
    });
  };
  EXPECT_EQ(fixed([](JointDescription&) {}), "no error");
  EXPECT_THAT(fixed([](JointDescription& j) { j.armature = 1; }),
              says("arm.lua:11", "link1", "armature"));
  EXPECT_THAT(fixed([](JointDescription& j) { j.damping = 1; }),
              says("arm.lua:11", "link1", "damping"));
  EXPECT_THAT(fixed([](JointDescription& j) { j.upper = 1; }),
              says("arm.lua:11", "link1", "limits"));
}

TEST(BuilderErrors, Parents) {
  EXPECT_THAT(message([](RobotDescription& r) { r.links[2].parent = "lnik2"; }),
              says("arm.lua:13", "link3", "'lnik2'", "did you mean 'link2'"));
  EXPECT_THAT(message([](RobotDescription& r) { r.links[0].parent = "link3"; }),
              says("arm.lua:1", "loop", "link1", "link2", "link3"));
  EXPECT_THAT(message([](RobotDescription& r) { r.links[1].parent = "link2"; }),
              says("arm.lua:12", "loop", "link2"));
  EXPECT_THAT(message([](RobotDescription& r) { r.links.clear(); }), says("", "'arm'", "no links"));
}

TEST(BuilderErrors, Masses) {
  EXPECT_THAT(message([](RobotDescription& r) { r.links[0].inertia.m = -2; }),
              says("arm.lua:11", "link1", "-2", "negative"));
  for (const double bad : {nan, infinite, -infinite}) {
    EXPECT_THAT(message([&](RobotDescription& r) { r.links[0].inertia.m = bad; }),
                says("arm.lua:11", "link1", "finite"));
    EXPECT_THAT(message([&](RobotDescription& r) { r.links[1].inertia.h.y = bad; }),
                says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message([&](RobotDescription& r) { r.links[1].inertia.I.xy = bad; }),
                says("arm.lua:12", "finite"));
    EXPECT_THAT(message([&](RobotDescription& r) { r.links[1].inertia.I.zz = bad; }),
                says("arm.lua:12", "finite"));
  }
}

TEST(BuilderErrors, InertiaThatNoBodyHas) {
  const auto flat = [](RobotDescription& r) {
    r.links[2].inertia = inertia_about_com(1, {0, 0, 1}, {1, 1, 5, 0, 0, 0});
  };
  EXPECT_THAT(message(flat), says("arm.lua:13", "link3", "triangle", "5"));
  const auto negative = [](RobotDescription& r) {
    r.links[2].inertia = inertia_about_com(1, {0, 0, 1}, {1, 1, 1, 3, 0, 0});
  };
  EXPECT_THAT(message(negative), says("arm.lua:13", "link3", "not positive", "-2"));
  const auto moment = [](RobotDescription& r) {
    r.links[2].inertia = inertia_from_moments(0, {1, 0, 0}, {1, 1, 1, 0, 0, 0});
  };
  EXPECT_THAT(message(moment), says("arm.lua:13", "link3", "first moment"));
}

// Checks the policies of a robot for inertias that no body can have: reject them, use them with a
// warning each, or use them silently. Grouped parameters are used under every policy.
TEST(BuilderErrors, InertiaThatNoBodyHasMayBeAllowed) {
  RobotDescription robot = arm();
  robot.links[1].inertia = robot.links[2].inertia =
      inertia_about_com(1, {0, 0, 1}, {1, 1, 5, 0, 0, 0});
  robot.nonphysical = Nonphysical::warn;
  const auto warned = build(robot);
  ASSERT_EQ(warned->warnings.size(), 2u);
  EXPECT_THAT(warned->warnings[0], says("arm.lua:12", "link2", "triangle", "used as given"));
  EXPECT_THAT(warned->warnings[1], says("arm.lua:13", "link3"));
  EXPECT_EQ(warned->links[1].inertia_L.I.zz, 5);
  robot.nonphysical = Nonphysical::allow;
  EXPECT_TRUE(build(robot)->warnings.empty());
  robot.nonphysical = Nonphysical::reject;
  robot.links[1].grouped = robot.links[2].grouped = true;
  EXPECT_TRUE(build(robot)->warnings.empty());
  EXPECT_TRUE(build(robot)->links[2].grouped);
  EXPECT_FALSE(build(robot)->links[0].grouped);
}

TEST(BuilderErrors, Placements) {
  const auto place = [](auto placement) {
    return [=](RobotDescription& r) { r.links[1].joint.placement = placement; };
  };
  for (const double bad : {nan, infinite}) {
    EXPECT_THAT(message(place(ScrewPlacement{.point = {0, bad, 0}})),
                says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(ScrewPlacement{.X_PL = translation<double>({bad, 0, 0})})),
                says("arm.lua:12", "finite"));
    EXPECT_THAT(message(place(ScrewPlacement{.axis = {bad, 0, 0}})),
                says("arm.lua:12", "knee", "axis"));
    EXPECT_THAT(message(place(StandardDh{.alpha = bad})), says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(StandardDh{.a = bad})), says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(StandardDh{.d = bad})), says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(StandardDh{.theta = bad})), says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(ModifiedDh{.b = bad})), says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(ModifiedDh{.gamma = bad})), says("arm.lua:12", "link2", "finite"));
    EXPECT_THAT(message(place(ModifiedDh{.r = bad})), says("arm.lua:12", "link2", "finite"));
  }
  EXPECT_THAT(message(place(ScrewPlacement{.axis = {0, 0, 0}})),
              says("arm.lua:12", "knee", "axis", "no direction"));
}

TEST(BuilderErrors, Visuals) {
  const auto seen = [](const VisualDescription& visual) {
    return message([&](RobotDescription& robot) {
      robot.links[1].visuals = {{{}, Sphere{1}, {}}, visual};
    });
  };
  const Pose<double> here = Pose<double>::identity();
  EXPECT_EQ(seen({here, Box{{1, 1, 1}}, Color{0, 1, 0.5, 0}}), "no error");
  const std::string sizes = "it must be positive and finite", parts = "each part is from 0 to 1";
  EXPECT_THAT(seen({here, Box{{1, 1, infinite}}, {}}),
              says("arm.lua:12: link 'link2': visual 2: the size in z of the box is inf m", sizes));
  EXPECT_THAT(seen({here, Cylinder{0, 1}, {}}),
              says("arm.lua:12:", "the radius of the cylinder is 0 m", sizes));
  EXPECT_THAT(seen({here, Cylinder{1, nan}, {}}),
              says("arm.lua:12:", "the length of the cylinder is", sizes));
  EXPECT_THAT(seen({here, Sphere{-1}, {}}),
              says("arm.lua:12:", "the radius of the sphere is -1 m", sizes));
  EXPECT_THAT(seen({here, Sphere{1}, Color{0, 0, 1.5, 1}}), says("arm.lua:12:", "has 1.5", parts));
  EXPECT_THAT(seen({here, Sphere{1}, Color{0, 0, 0, nan}}), says("arm.lua:12:", parts));
  EXPECT_THAT(seen({translation<double>({nan, 0, 0}), Sphere{1}, {}}),
              says("arm.lua:12:", "its pose has a value that is not a finite number"));
}

TEST(BuilderErrors, JointNumbers) {
  const auto set = [](auto JointDescription::*member, double value) {
    return message([=](RobotDescription& r) { r.links[1].joint.*member = value; });
  };
  for (const double bad : {nan, infinite, -1.0}) {
    EXPECT_THAT(set(&JointDescription::armature, bad), says("arm.lua:12", "knee", "armature"));
    EXPECT_THAT(set(&JointDescription::damping, bad), says("arm.lua:12", "knee", "damping"));
  }
  EXPECT_THAT(set(&JointDescription::pitch, nan), says("arm.lua:12", "knee", "pitch"));
  EXPECT_THAT(set(&JointDescription::pitch, infinite), says("arm.lua:12", "knee", "pitch"));
  EXPECT_THAT(set(&JointDescription::lower, nan), says("arm.lua:12", "knee", "limit"));
  EXPECT_THAT(set(&JointDescription::upper, nan), says("arm.lua:12", "knee", "limit"));
  EXPECT_THAT(
      message([](RobotDescription& r) { r.links[1].joint.lower = 2, r.links[1].joint.upper = 1; }),
      says("arm.lua:12", "knee", "2", "limit"));
  EXPECT_THAT(set(&JointDescription::velocity_limit, -1),
              says("arm.lua:12", "knee", "velocity limit"));
  EXPECT_THAT(set(&JointDescription::effort_limit, nan),
              says("arm.lua:12", "knee", "effort limit"));
  EXPECT_THAT(message([](RobotDescription& r) {
                r.links[1].joint.source = "arm.urdf:7";
                r.links[1].joint.effort_limit = -1;
              }),
              says("arm.urdf:7", "knee", "the effort limit is -1; it must not be negative"));
}

TEST(BuilderErrors, ColumnOrder) {
  const auto order = [](std::vector<std::string> names) {
    return message([&](RobotDescription& r) { r.dof_order = names; });
  };
  EXPECT_EQ(order({"ankle", "hip", "knee"}), "no error");
  EXPECT_THAT(order({"hip", "kne", "ankle"}), says("", "'kne'", "arm"));
  EXPECT_THAT(order({"hip", "knee"}), says("", "arm", "2", "3"));
  EXPECT_THAT(order({"hip", "hip", "ankle"}), says("", "'hip'", "arm"));
}

TEST(BuilderErrors, Frames) {
  const auto frame = [](FrameDescription description) {
    description.source = "arm.lua:20";
    return message([&](RobotDescription& r) { r.frames.push_back(description); });
  };
  EXPECT_EQ(frame({"tool", "link3", translation<double>({0, 0, 1}), ""}), "no error");
  EXPECT_THAT(frame({"", "link3", Pose<double>::identity(), ""}), says("arm.lua:20", "name"));
  EXPECT_THAT(frame({"tool", "link33", Pose<double>::identity(), ""}),
              says("arm.lua:20", "tool", "'link33'", "did you mean 'link3'"));
  EXPECT_THAT(frame({"tool", "link3", translation<double>({nan, 0, 1}), ""}),
              says("arm.lua:20", "tool", "finite"));
  EXPECT_THAT(frame({"link2", "link3", Pose<double>::identity(), ""}), says("arm.lua:20", "link2"));
}

TEST(BuilderErrors, RobotsOfOneWorld) {
  ModelBuilder world;
  world.add(arm());
  EXPECT_THROW(world.add(arm()), Error);
  RobotDescription other = arm();
  other.name = "other";
  EXPECT_THROW(world.add(other, translation<double>({nan, 0, 0})), Error);
  world.add(other);
  EXPECT_EQ(world.build()->n_v, 6);
}

// Checks properties that some kinds of joints do not support.
TEST(BuilderErrors, JointKinds) {
  const auto changed = [](JointKind kind, const std::function<void(JointDescription&)>& change) {
    return message([&](RobotDescription& r) {
      r.links[1].joint.kind = kind;
      change(r.links[1].joint);
    });
  };
  using enum JointKind;
  EXPECT_EQ(changed(spherical,
                    [](JointDescription& j) {
                      j.armature = std::vector{1.0, 2.0, 3.0};
                    }),
            "no error");
  EXPECT_THAT(changed(spherical,
                      [](JointDescription& j) {
                        j.armature = std::vector{1.0, 2.0};
                      }),
              says("arm.lua:12: joint 'knee'", "armature has 2 entries", "a list of 3"));
  EXPECT_THAT(changed(planar,
                      [](JointDescription& j) {
                        j.damping = std::vector{1.0, -2.0, 3.0};
                      }),
              says("arm.lua:12: joint 'knee'", "damping is -2"));
  EXPECT_THAT(changed(floating, [](JointDescription& j) { j.armature = 1; }),
              says("arm.lua:12: joint 'knee': it is floating and has armature"));
  EXPECT_THAT(changed(floating,
                      [](JointDescription& j) {
                        j.placement = ScrewPlacement{.point = {1, 0, 0}};
                      }),
              says("arm.lua:12: joint 'knee': it is floating and has a point"));
  EXPECT_THAT(changed(spherical,
                      [](JointDescription& j) {
                        j.placement = ScrewPlacement{.axis = {1, 0, 0}};
                      }),
              says("arm.lua:12: joint 'knee': it is spherical and has an axis"));
  EXPECT_THAT(changed(spherical, [](JointDescription& j) { j.placement = StandardDh{}; }),
              says("arm.lua:12: joint 'knee': it is spherical and has a DH row"));
  EXPECT_THAT(changed(cylindrical, [](JointDescription& j) { j.upper = 1; }),
              says("arm.lua:12: joint 'knee': it is cylindrical and has limits"));
  const Vec3<double> z{0, 0, 1}, x{1, 0, 0};
  EXPECT_EQ(changed(revolute, [&](JointDescription& j) { j.second_axis = x; }), "no error");
  EXPECT_THAT(changed(revolute, [&](JointDescription& j) { j.second_axis = z; }),
              says("arm.lua:12: joint 'knee': it is universal", "parallel"));
  EXPECT_THAT(changed(prismatic, [&](JointDescription& j) { j.second_axis = x; }),
              says("arm.lua:12: joint 'knee': it is universal and not revolute"));
  EXPECT_THAT(changed(revolute, [&](JointDescription& j) { j.second_axis = x, j.lower = 0; }),
              says("arm.lua:12: joint 'knee': it is universal and has limits"));
  EXPECT_THAT(changed(revolute,
                      [&](JointDescription& j) { j.second_axis = x, j.placement = ModifiedDh{}; }),
              says("arm.lua:12: joint 'knee': it is universal and has a DH row"));
  EXPECT_THAT(
      changed(revolute,
              [&](JointDescription& j) { j.second_axis = x, j.damping = std::vector{1.0}; }),
      says("arm.lua:12: joint 'knee': it is universal", "for each of its two axes"));
}

}  // namespace
}  // namespace torsor
