// Tests that large robot files are read, checked and exported in time that grows with their size,
// not with its square. A quadratic algorithm takes minutes here, and the tests would time out.

#include <gmock/gmock.h>

#include "formats/exported_robot.hpp"
#include "formats/mjcf_file.hpp"
#include "formats/sdf_file.hpp"
#include "torsor/formats/lint/lint.hpp"

namespace torsor::test::large_files {
namespace {

using testing::HasSubstr;

constexpr int many = 20'000;

// Returns the text of `many` elements; f(k) is that of one.
template <class Function>
std::string repeated(const Function& f) {
  std::string out;
  for (int k = 0; k < many; ++k) out += f(std::to_string(k));
  return out;
}

TEST(LargeFiles, LinksThatFloat) {
  const RobotDescription robot = read_sdf_text(
      sdf_model(repeated([](const std::string& k) { return "<link name='l" + k + "'/>"; })));
  ASSERT_EQ(robot.links.size(), size_t(many));
  EXPECT_EQ(robot.links.back().joint.name, "floating_base_20000");
  EXPECT_EQ(robot.dof_order.size(), size_t(many));
}

TEST(LargeFiles, FramesOfTheWorld) {
  const RobotDescription robot =
      read_sdf_text("<sdf version='1.11'><world name='w'>" +
                    repeated([](const std::string& k) { return "<frame name='f" + k + "'/>"; }) +
                    "<model name='m'>" +
                    repeated([](const std::string& k) { return "<link name='l" + k + "'/>"; }) +
                    "</model></world></sdf>");
  EXPECT_EQ(robot.unused.size(), size_t(many));
}

// The keys of a model of 20,000 joints that is attached.
TEST(LargeFiles, KeysOfAttachedModels) {
  MjcfFolder folder(
      mjcf("<asset><model name='m' file='part.xml'/></asset><worldbody><body><joint/><geom "
           "size='1'/></body><attach model='m' prefix='p_'/></worldbody>"));
  const std::string body = "<body><joint/><geom size='1'/></body>";
  std::string keys;
  for (int k = 0; k < 100; ++k) keys += "<key/>";
  folder.add("part.xml", mjcf("<worldbody>" + repeated([&](const std::string&) { return body; }) +
                              "</worldbody><keyframe><key qpos='" +
                              repeated([](const std::string& k) { return k + " "; }) + "'/>" +
                              keys + "</keyframe>"));
  const RobotDescription robot = read_robot_file(folder.path());
  ASSERT_EQ(robot.states.size(), 102u);
  EXPECT_EQ(robot.states[1].q.back(), many - 1);
}

// A model of 3000 links is included 20 times.
TEST(LargeFiles, BoundTheNumberOfLinks) {
  const ScratchFolder folder;
  std::string links, includes;
  for (int k = 0; k < 3000; ++k) links += "<link name='l" + std::to_string(k) + "'/>";
  for (int k = 0; k < 20; ++k)
    includes += "<include><uri>part.sdf</uri><name>m" + std::to_string(k) + "</name></include>";
  folder.write("part.sdf", sdf_model(links));
  EXPECT_THAT([&] { read_robot_file(folder.write("robot.sdf", sdf_model(includes))); },
              testing::ThrowsMessage<Error>(HasSubstr("more than 50000 links")));
}

TEST(LargeFiles, UnknownWords) {
  const RobotDescription robot =
      read_sdf_text(sdf_model("<static>1</static><link name='l'/>" +
                              repeated([](const std::string& k) { return "<word" + k + "/>"; })));
  ASSERT_EQ(robot.unused.size(), size_t(many));
  EXPECT_GE(lint(robot).size(), size_t(many));
  EXPECT_EQ(losses_of_reading(robot).size(), size_t(many));
}

// Joints without limits, inertia and names that the formats allow.
RobotDescription star() {
  RobotDescription robot;
  robot.name = "star";
  for (int k = 0; k < many; ++k) {
    LinkDescription link;
    link.name = "a::" + std::to_string(k);
    link.joint.kind = k % 2 ? JointKind::revolute : JointKind::cylindrical;
    link.joint.name = k % 2 ? "j" + std::to_string(k) : "a::" + std::to_string(k);
    link.joint.placement = ScrewPlacement{};
    link.joint.lower = link.joint.upper = k % 2 ? 0 : HUGE_VAL;
    if (k % 2 == 0) link.joint.lower = -HUGE_VAL;
    if (k % 4 < 2) link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
    link.collisions = {{.shape = {ShapeKind::sphere, {0.1, 0, 0}}}};
    robot.links.push_back(std::move(link));
    robot.dof_order.push_back(robot.links.back().joint.name);
  }
  robot.nonphysical = Nonphysical::warn;
  return robot;
}

TEST(LargeFiles, AreExported) {
  const RobotDescription robot = star();
  for (const RobotTarget& target : robot_targets()) {
    SCOPED_TRACE(std::string(target.name));
    const ExportedRobot out = export_robot(robot, target, {"robot", "A test"});
    EXPECT_GT(out.files.at(0).text.size(), size_t(many));
  }
}

TEST(LargeFiles, AreLinted) {
  const auto found = lint(star());
  EXPECT_GE(std::ranges::count(found, "inertia.singular", &Finding::rule), many / 2);
  EXPECT_GE(std::ranges::count(found, "joint.range", &Finding::rule), many / 2);
}

}  // namespace
}  // namespace torsor::test::large_files
