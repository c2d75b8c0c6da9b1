// Checks that every shipped scene runs, that every shipped robot can be evaluated, and that the
// solvers agree on all of them.

#include <gmock/gmock.h>

#include <set>

#include "cli/program.hpp"
#include "support/reference.hpp"
#include "support/scene_files.hpp"

namespace torsor::test {
namespace {

std::vector<std::string> lua_files(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(source(folder)))
    if (entry.path().extension() == ".lua") files.insert(entry.path().string());
  return {files.begin(), files.end()};
}
std::string stem(const testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}

std::vector<std::string> scenes() {
  std::vector<std::string> out;
  for (const std::filesystem::path& file : scene_files()) out.push_back(file.string());
  return out;
}

class Scene : public Program, public testing::WithParamInterface<std::string> {};
TEST_P(Scene, Runs) {
  const Output run = torsor({"run", GetParam()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.err, testing::Not(testing::HasSubstr("energy error")));
  EXPECT_FALSE(written().empty());
}
TEST_P(Scene, IsTheSameToEverySolver) {
  const Output compare = torsor({"compare", GetParam()});
  EXPECT_EQ(compare.exit_code, 0) << compare.out << compare.err;
}
INSTANTIATE_TEST_SUITE_P(Shipped, Scene, testing::ValuesIn(scenes()), stem);

class RobotFile : public Program, public testing::WithParamInterface<std::string> {};
TEST_P(RobotFile, CanBeEvaluatedWithEverySolver) {
  for (const char* solver :
       {"newton_euler", "articulated_body", "lie_group", "lagrange_christoffel"}) {
    const Output eval =
        torsor({"eval", GetParam(), "--states", "-", "--solver", solver}, R"({"states": [{}]})");
    EXPECT_EQ(eval.exit_code, 0) << eval.err;
    EXPECT_THAT(eval.out, testing::HasSubstr("\"forward_dynamics\":[")) << eval.err;
  }
}
TEST_P(RobotFile, IsTheSameToEverySolver) {
  const Output compare = torsor({"compare", GetParam()});
  EXPECT_EQ(compare.exit_code, 0) << compare.out << compare.err;
}
INSTANTIATE_TEST_SUITE_P(Shipped, RobotFile, testing::ValuesIn(lua_files("scripts/robots")), stem);

class UrdfFile : public Program, public testing::WithParamInterface<std::string> {};
INSTANTIATE_TEST_SUITE_P(Robots, UrdfFile, testing::ValuesIn(all_robots()), stem);

TEST_P(UrdfFile, IsTheSameToEverySolver) {
  const Output compare = torsor({"compare", robot_file(GetParam()).string(), "--samples", "8"});
  EXPECT_EQ(compare.exit_code, 0) << compare.out << compare.err;
}

}  // namespace
}  // namespace torsor::test
