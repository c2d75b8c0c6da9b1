// Published robots: what is read against independent lists of their joints.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "torsor/model/urdf.hpp"

namespace torsor {
namespace {

namespace fs = std::filesystem;

const fs::path shared = fs::path(TORSOR_SOURCE_DIR).parent_path() / "shared";

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

// Names of moving joints, by reading the text as text: every <joint ...> tag that has a type.
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
  for (size_t at = text.find("<visual"); at != std::string::npos; at = text.find("<visual", at + 1)) {
    const std::string visual = text.substr(at, text.find("</visual>", at) - at);
    for (const char* shape : {"<box", "<cylinder", "<sphere", "<mesh"})
      count += visual.find(shape) != std::string::npos;
  }
  return count;
}

TEST(UrdfRobots, AllAreRead) {
  if (!fs::is_directory(shared / "robots")) GTEST_SKIP() << "no robots in " << shared / "robots";
  int count = 0;
  size_t shapes = 0;
  for (const auto& entry : fs::directory_iterator(shared / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    SCOPED_TRACE(entry.path().filename());
    ++count;
    const std::string text = without_comments(text_of(entry.path()));
    const RobotDescription robot = read_urdf(entry.path());
    EXPECT_EQ(robot.column_order, joints_in_text(text));
    EXPECT_EQ(std::count_if(robot.links.begin(), robot.links.end(),
                            [](const auto& link) { return link.parent.empty(); }),
              1);
    const auto model = build(robot);
    EXPECT_EQ(model->visuals.size(), shapes_in_text(text));
    shapes += model->visuals.size();
    ASSERT_EQ(model->joints.size(), robot.column_order.size());
    for (size_t i = 0; i < model->joints.size(); ++i) EXPECT_EQ(model->joints[i].name, robot.column_order[i]);
  }
  EXPECT_GE(count, 18);
  EXPECT_GT(shapes, 0u);
}

TEST(UrdfRobots, HaveTheJointsOfTheReference) {
  if (!fs::is_directory(shared / "reference"))
    GTEST_SKIP() << "no reference values in " << shared / "reference";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(shared / "robots")) {
    const fs::path reference = shared / "reference" / entry.path().stem().replace_extension(".json");
    if (entry.path().extension() != ".urdf" || !fs::exists(reference)) continue;
    SCOPED_TRACE(entry.path().filename());
    ++count;
    auto names = nlohmann::json::parse(text_of(reference)).at("joint_names").get<std::vector<std::string>>();
    std::erase(names, "universe");    // Pinocchio's world
    std::erase(names, "root_joint");  // and its floating base
    EXPECT_THAT(read_urdf(entry.path()).column_order, testing::UnorderedElementsAreArray(names));
  }
  EXPECT_GE(count, 15);
}

}  // namespace
}  // namespace torsor
