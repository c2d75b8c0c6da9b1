// Tests of commands on SDF files: the gravity of a world, packages, and torsor.sdf in a scene.

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// A pendulum of 2 kg, 0.5 m from its horizontal axis, in a world with the gravity of Mars.
const std::string mars = R"(<sdf version="1.9"><world name="mars"><gravity>0 0 -3.7</gravity>
<model name="arm"><link name="bar"><inertial><pose>0.5 0 0 0 0 0</pose><mass>2</mass></inertial>
</link><joint name="pin" type="revolute"><parent>world</parent><child>bar</child><axis><xyz>0 -1 0
</xyz></axis></joint></model></world></sdf>)";

class Sdf : public Program {
 protected:
  double torque_at_rest(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{
        "eval", file("mars.world", mars), "--states", "-", "--quantity", "gravity"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Output output = torsor(arguments, R"({"states": [{"q": [0]}]})");
    EXPECT_EQ(output.exit_code, 0) << output.err;
    return Json::parse(output.out)["results"][0]["gravity"][0];
  }
};

TEST_F(Sdf, CommandsUseTheGravityOfAWorld) {
  EXPECT_NEAR(torque_at_rest(), 2 * 0.5 * 3.7, 1e-14);
  EXPECT_NEAR(torque_at_rest({"--gravity", "0,0,-1"}), 1, 1e-14);
}

TEST_F(Sdf, ScenesUseTheirOwnGravityWithAWarning) {
  file("mars.world", mars);
  const std::string scene = file("scene.lua", R"(local torsor = require "torsor"
local world = torsor.world{}
world:add(torsor.sdf("mars.world"))
return world:experiment{ solver = "newton_euler", integrator = { "rk4", dt = 0.001 },
  duration = 0.01, record = {"energy"} })");
  const Output output = torsor({"run", scene});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.err, HasSubstr("mars.world:1: the gravity of the file is (0, 0, -3.7) m/s^2; "
                                    "the scene uses its own, (0, 0, -9.81)"));
}

TEST_F(Sdf, ScenesReadEachFormatByItsFunction) {
  file("mars.world", mars);
  const auto error = [&](const std::string& call) {
    return torsor({"inspect", file("robot.lua", "return require('torsor')." + call)}).err;
  };
  EXPECT_THAT(error("urdf('mars.world')"), HasSubstr("torsor.urdf reads .urdf files"));
  EXPECT_THAT(error("sdf('mars.urdf')"), HasSubstr("torsor.sdf reads .sdf, .world files"));
  EXPECT_THAT(error("urdf('mars.xacro')"), HasSubstr("only if you name it yourself"));
}

TEST_F(Sdf, IncludesAreFoundInPackages) {
  const std::string text =
      "<sdf version='1.9'><model name='m'><include><uri>model://arm</uri>"
      "</include></model></sdf>";
  file("part.sdf", "<sdf version='1.9'><model name='arm'><link name='a'/></model></sdf>");
  std::filesystem::create_directories(folder_ / "models/of_arm");
  std::filesystem::copy_file(folder_ / "part.sdf", folder_ / "models/of_arm/model.sdf");
  const std::string robot = file("robot.sdf", text);
  EXPECT_EQ(torsor({"inspect", robot}).exit_code, 2);
  const Output output =
      torsor({"inspect", robot, "--package", "arm=" + (folder_ / "models/of_arm").string()});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(torsor({"inspect", robot, "--package", "arm"}).err, HasSubstr("give NAME=FOLDER"));
}

}  // namespace
}  // namespace torsor::test
