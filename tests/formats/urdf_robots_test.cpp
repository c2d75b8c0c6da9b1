// Compares robots that were read from URDF files with independent lists of their joints and shapes.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/reference.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string without_comments(std::string text) {
  for (size_t at; (at = text.find("<!--")) != std::string::npos;)
    text.erase(at, text.find("-->", at) + 3 - at);
  return text;
}

std::string attribute(const std::string& tag, const std::string& name) {
  const size_t at = tag.find(" " + name + "=\"");
  if (at == std::string::npos) return "";
  const size_t from = at + name.size() + 3;
  return tag.substr(from, tag.find('"', from) - from);
}

// Returns the names of moving joints by a text search: every <joint ...> tag with a type other than
// fixed.
std::vector<std::string> joints_in_text(const std::string& text) {
  std::vector<std::string> out;
  for (size_t at = text.find("<joint"); at != std::string::npos; at = text.find("<joint", at + 1)) {
    std::string tag = text.substr(at, text.find('>', at) - at);
    std::replace_if(
        tag.begin(), tag.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    const std::string type = attribute(tag, "type");
    if (!type.empty() && type != "fixed") out.push_back(attribute(tag, "name"));
  }
  return out;
}

size_t shapes_in_text(const std::string& text) {
  size_t count = 0;
  for (size_t at = text.find("<visual"); at != std::string::npos;
       at = text.find("<visual", at + 1)) {
    const std::string visual = text.substr(at, text.find("</visual>", at) - at);
    for (const char* shape : {"<box", "<cylinder", "<sphere", "<capsule", "<mesh"})
      count += visual.find(shape) != std::string::npos;
  }
  return count;
}

class UrdfRobots : public testing::TestWithParam<std::string> {
 protected:
  fs::path file() const { return test::robot_file(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Robots, UrdfRobots, testing::ValuesIn(test::all_robots()),
                         [](const auto& robot) { return robot.param; });

TEST_P(UrdfRobots, AreReadCompletely) {
  const std::string text = without_comments(text_of(file()));
  const RobotDescription robot = read_robot_file(file());
  EXPECT_EQ(robot.dof_order, joints_in_text(text));
  EXPECT_EQ(std::count_if(robot.links.begin(), robot.links.end(),
                          [](const auto& link) { return link.parent.empty(); }),
            1);
  const auto model = build(robot);
  EXPECT_EQ(model->visuals.size(), shapes_in_text(text));
  const auto floating = build(read_robot_file(file(), {.floating_base = true}));
  EXPECT_EQ(floating->n_v, model->n_v + 6);
  for (size_t k = 0; k < 6; ++k) EXPECT_TRUE(floating->drives[k].passive);
  ASSERT_EQ(model->joints.size(), robot.dof_order.size());
  for (size_t i = 0; i < model->joints.size(); ++i)
    EXPECT_EQ(model->joints[i].name, robot.dof_order[i]);
}

class UrdfRobotsWithTable : public UrdfRobots {};
INSTANTIATE_TEST_SUITE_P(Robots, UrdfRobotsWithTable,
                         testing::ValuesIn(test::robots_with_table(test::all_robots())),
                         [](const auto& robot) { return robot.param; });

TEST_P(UrdfRobotsWithTable, HaveTheJointsOfTheReference) {
  auto names = test::robot_table(GetParam()).at("joint_names").get<std::vector<std::string>>();
  std::erase(names, "universe");    // Pinocchio's name of the world
  std::erase(names, "root_joint");  // Pinocchio's name of the floating base
  EXPECT_THAT(read_robot_file(file()).dof_order, testing::UnorderedElementsAreArray(names));
}

}  // namespace
}  // namespace torsor
