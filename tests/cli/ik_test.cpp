// Tests of torsor ik: solutions against torsor eval, reports of failures, and rejected arguments.

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// A robot of two links of 1 m that rotate about z. The second joint is limited to 0..2 rad.
constexpr const char* two_links = R"(<robot name="two">
  <link name="base"/>
  <link name="upper"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="2" velocity="1" effort="1"/></joint>
  <joint name="end" type="fixed"><parent link="lower"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>)";

class Ik : public Program {
 protected:
  Output ik(std::vector<std::string> more) {
    std::vector<std::string> arguments{"ik", file("two.urdf", two_links)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return torsor(arguments);
  }
  // Runs torsor ik with --json and returns the output. Checks the exit status.
  Json found(std::vector<std::string> more, int exit_code) {
    more.insert(more.end(), {"--frame", "tip", "--json"});
    const Output output = ik(more);
    EXPECT_EQ(output.exit_code, exit_code) << output.err;
    return Json::parse(output.out);
  }
  void expect_rejected(const std::vector<std::string>& more, const std::string& said) {
    const Output output = ik(more);
    EXPECT_EQ(output.exit_code, 2) << output.err;
    EXPECT_EQ(output.out, "");
    EXPECT_THAT(output.err, HasSubstr(said));
  }
};

TEST_F(Ik, FindsPositionsThatEvalConfirms) {
  const Json out = found({"--position", "0.5,1.2,0", "--start", "0.1,1"}, 0);
  EXPECT_EQ(out["stop"], "found");
  EXPECT_LT(out["error"].get<double>(), 1e-12);
  EXPECT_EQ(out["coordinates"], (Json{"shoulder", "elbow"}));
  EXPECT_NEAR(out["q"][1].get<double>(), std::acos((0.25 + 1.44 - 2) / 2), 1e-12);
  const Json states{{"states", {{{"q", out["q"]}}}}};
  const Output eval =
      torsor({"eval", folder_ / "two.urdf", "--states", "-", "--quantity", "poses"}, states.dump());
  const Json tip = Json::parse(eval.out)["results"][0]["poses"]["tip"];
  EXPECT_NEAR(tip[0][3].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(tip[1][3].get<double>(), 1.2, 1e-12);
}

TEST_F(Ik, PrintsPositionsWithTheirUnits) {
  const Output output = ik({"--frame", "upper", "--rpy", "0,0,0.75"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out,
              testing::ContainsRegex(
                  "frame 'upper' reaches its target to [-0-9.e]+ rad, after [0-9] iterations"));
  EXPECT_THAT(output.out, testing::ContainsRegex("shoulder +0.75 rad"));
}

TEST_F(Ik, ReportsTheReasonOfAFailure) {
  Json out = found({"--position", "0.2,0,0", "--start", "0.1,1"}, 1);
  EXPECT_EQ(out["stop"], "at_limits");
  EXPECT_EQ(out["limits"], (Json{{{"joint", "elbow"}, {"side", "upper"}}}));
  EXPECT_EQ(out["q"][1], 2);
  out = found({"--position", "1,0.5,0.2", "--start", "0.1,1"}, 1);
  EXPECT_EQ(out["stop"], "out_of_reach");
  EXPECT_NEAR(out["task_direction"][5].get<double>(), 1, 1e-6);
  out = found({"--position", "1.5,0,0", "--start", "0,0", "--starts", "1"}, 1);
  EXPECT_EQ(out["stop"], "singular");
  EXPECT_EQ(out["joint_direction"].size(), 2u);
  const Output text = ik({"--frame", "tip", "--position", "1,0.5,0.2"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_THAT(text.out, HasSubstr("the nearest positions that were found:"));
  EXPECT_THAT(text.err,
              HasSubstr("torsor: the target of frame 'tip' is out of reach: the frame stops "));
  const std::string fixed = file("fixed.urdf", "<robot name='r'><link name='l'/></robot>");
  EXPECT_EQ(torsor({"ik", fixed, "--frame", "l", "--position", "1,0,0"}).out, "")
      << "it has no joints";
}

TEST_F(Ik, RejectsInvalidArguments) {
  expect_rejected({"--frame", "tipp", "--position", "1,0,0"},
                  "there is no link or frame 'tipp'; did you mean 'tip'?");
  expect_rejected({"--position", "1,0,0"}, "--frame");
  expect_rejected({"--frame", "tip"}, "give --position, --rpy or both");
  expect_rejected({"--frame", "tip", "--position", "1,0"}, "--position");
  expect_rejected({"--frame", "tip", "--position", "1,0,x"}, "--position");
  expect_rejected({"--frame", "tip", "--position", "1,0,nan"},
                  "--position 1,0,nan: 'nan' is not a finite number; write --position X,Y,Z");
  expect_rejected({"--frame", "tip", "--rpy", "1,0,inf"},
                  "--rpy 1,0,inf: 'inf' is not a finite number");
  expect_rejected({"--frame", "tip", "--position", "1,0,0", "--start", "1"},
                  "--start has 1 values; the joints of 'two' have 2: shoulder, elbow");
  expect_rejected({"--frame", "tip", "--position", "1,0,0", "--start", "0,3"},
                  "the start is outside the limits of joint 'elbow': 3 is above the upper limit 2");
  expect_rejected({"--frame", "tip", "--position", "1,0,0", "--strat", "0,3"},
                  "did you mean '--start'?");
}

// Checks a singular start (the stretched arm): the search continues from other starts. After
// several starts, the message must not advise another start.
TEST_F(Ik, TriesTheSameStartsInEveryRun) {
  const std::vector<std::string> target{"--position", "1.5,0,0", "--start", "0,0"};
  const Json out = found(target, 0);
  EXPECT_EQ(out["stop"], "found");
  EXPECT_GT(out["starts"].get<int>(), 1);
  EXPECT_EQ(found(target, 0), out);
  const Json none = found({"--position", "0.2,0,0", "--start", "0.1,1", "--starts", "5"}, 1);
  EXPECT_EQ(none["starts"], 5);
  EXPECT_THAT(none["text"].get<std::string>(),
              testing::AllOf(HasSubstr("; 5 starts were tried (--starts)"),
                             testing::Not(HasSubstr("another"))));
}

TEST_F(Ik, AcceptsRobotsInLua) {
  const Output output =
      torsor({"ik", source("scripts/robots/scara.lua"), "--set", "payload=1", "--frame", "tool",
              "--position", "0.3,0.3,0.2", "--start", "0.1,0.5,0,0"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, testing::ContainsRegex("joint3 +[-0-9.]+ m\n"));
}

}  // namespace
}  // namespace torsor::test
