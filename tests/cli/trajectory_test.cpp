// Tests of torsor trajectory: its output, its files, and rejected arguments.

#include <gmock/gmock.h>

#include "cli/program.hpp"

namespace torsor::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class TrajectoryCommand : public Program {
 protected:
  Output trajectory(const std::string& id, const std::vector<std::string>& settings,
                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"trajectory", id,
                                       source("scripts/robots/scara.lua").string()};
    for (const std::string& setting : settings)
      arguments.insert(arguments.end(), {"--parameter", setting});
    arguments.insert(arguments.end(), more.begin(), more.end());
    return torsor(arguments);
  }
  void refused(const std::string& id, const std::vector<std::string>& settings,
               const std::string& why) {
    const Output output = trajectory(id, settings);
    EXPECT_EQ(output.exit_code, 2);
    EXPECT_THAT(output.err, HasSubstr(why));
    EXPECT_EQ(std::count(output.err.begin(), output.err.end(), '\n'), 1) << output.err;
  }
};

TEST_F(TrajectoryCommand, PrintsAndSamples) {
  const Output output =
      trajectory("trapeze", {"from=0,0,0,0", "to=1,2,0.5,0", "speed=1", "acceleration=4"},
                 {"--csv", "out.csv", "--samples", "10"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("trajectory.trapeze 1.0, motion of the joints\n"),
                                HasSubstr("duration     2.25 s\n"),
                                HasSubstr("continuous up to the velocity\n"),
                                HasSubstr("breaks       0, 0.25, 2, 2.25 s\n"),
                                HasSubstr("v.joint2                 1 rad/s\n"),
                                HasSubstr("vdot.joint3              1 m/s^2\n"),
                                HasSubstr("out.csv: 21 columns of 10 rows\n")));
  const std::string csv = read("out.csv");
  EXPECT_THAT(
      csv,
      StartsWith(
          "t [s],q.joint1 [rad],q.joint2 [rad],q.joint3 [m],q.joint4 [rad],v.joint1 [rad/s],"));
  EXPECT_THAT(csv, HasSubstr("\n1,0.4375,0.875,0.21875,0,0.5,1,0.25,0,0,0,0,0,0"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 11);
}

TEST_F(TrajectoryCommand, SamplesPathsThroughPoses) {
  const Output output =
      trajectory("pose_lines", {"poses=0,0,0;1,0,0,0,0,1;1,1,0", "speed=0.5", "angular_speed=1",
                                "blend=0.1", "blend_law=parabolic"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("motion of a frame\n"), HasSubstr("duration     4.4 s\n"),
                                HasSubstr("continuous up to the velocity\n"),
                                HasSubstr("V.vx                     0.5 m/s\n")));
  refused("pose_lines", {"poses=0,0,0;1,0"}, "a pose is x,y,z or x,y,z,roll,pitch,yaw");
}

// A scene names its controls ROBOT.CONTROL. Their reference may be a sequence.
TEST_F(TrajectoryCommand, SamplesTheReferenceOfAControl) {
  const std::string scene = source("scenes/via_poses.lua").string();
  const Output output = torsor({"trajectory", "iiwa.law", scene});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, AllOf(HasSubstr("trajectory   sequence of iiwa.law, motion of a frame\n"),
                                HasSubstr("continuous up to the acceleration\n")));
  const auto refuse = [&](const std::vector<std::string>& arguments, const std::string& why) {
    const Output refused = torsor(arguments);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, HasSubstr(why));
  };
  refuse({"trajectory", "iiwa.lw", scene}, "has no control 'iiwa.lw'; name a trajectory plugin");
  refuse({"trajectory", "iiwa.law", scene, "--parameter", "speed=1"},
         "set those of a scene with --set");
  refuse({"trajectory", "iiwa.law", scene, "--set", "by=joints"},
         "control 'iiwa.law' does not follow a trajectory or a sequence");
}

TEST_F(TrajectoryCommand, PrintsThePeaksOfTheMotionBeforeALongRest) {
  const Output output =
      trajectory("trapeze", {"from=0,0,0,0", "to=1,2,0.5,0", "speed=1", "acceleration=4"},
                 {"--duration", "1e9"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("v.joint2                 1 rad/s\n"));
}

// A slide of 2 kg moves 3 m up in 1 s with an acceleration of 12 m/s^2. Its motor pushes with 30 N,
// of which 19.62 N carry the weight, so that the least duration is sqrt(24 / 10.38) s.
TEST_F(TrajectoryCommand, ComparesTorquesWithLimits) {
  const std::string robot = file("lift.lua", R"(local torsor = require "torsor"
local lift = torsor.robot{ name = "lift" }
lift:link{ name = "car", joint = { "prismatic", name = "rail", axis = {0, 0, 1}, limits = { effort = 30 } },
           inertia = { mass = 2, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return lift
)");
  const auto lifted = [&](const std::string& duration, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{
        "trajectory", "bang_bang",   robot,  "--torques",   "--parameter",
        "from=0",     "--parameter", "to=3", "--parameter", "duration=" + duration};
    words.insert(words.end(), more.begin(), more.end());
    return torsor(words);
  };
  const Output fast = lifted("1");
  EXPECT_EQ(fast.exit_code, 1) << fast.err;
  EXPECT_THAT(fast.out,
              AllOf(HasSubstr("torques      with gravity (0, 0, -9.81) m/s^2\n"),
                    HasSubstr("43.62 N at 0 s, uses 1.454 of its limits, exceeded from 0 "
                              "s to 0.5 s\n"),
                    HasSubstr("scaling      1.52057184254 times the duration, 1.52057184254 "
                              "s, uses the limits fully: rail at ")));
  EXPECT_EQ(lifted("1.6").exit_code, 0);
  EXPECT_EQ(lifted("1", {"--gravity", "0,0,0"}).exit_code, 0);
  EXPECT_THAT(lifted("9", {"--gravity", "0,0,-20"}).out, HasSubstr("scaling      none: rail"));
  EXPECT_THAT(trajectory("trapeze", {"from=0,0,0,0", "to=1,2,0.5,0", "speed=1", "acceleration=4"},
                         {"--torques"})
                  .out,
              HasSubstr("scaling      no limit restricts the motion\n"));
  const Output frame =
      trajectory("straight_line", {"from=0,0,0", "to=1,0,0", "duration=1"}, {"--torques"});
  EXPECT_EQ(frame.exit_code, 2);
  EXPECT_THAT(frame.err, HasSubstr("moves a frame; torques need a motion of the joints"));
}

// A car of 2 kg on a rail without weight: 30 N give 15 m/s^2, so that 3 m take 2 sqrt(3 / 15) s.
TEST_F(TrajectoryCommand, FindsTheFastestMotionAlongAPath) {
  const auto rail = [&](const std::string& limits) {
    return file("rail.lua", R"(local torsor = require "torsor"
local lift = torsor.robot{ name = "lift" }
lift:link{ name = "car", joint = { "prismatic", name = "rail", axis = {1, 0, 0}, limits = {)" +
                                limits + R"(} },
           inertia = { mass = 2, com = {0, 0, 0}, about_com = { Ixx = 1, Iyy = 1, Izz = 1 } } }
return lift
)");
  };
  const auto moved = [&](const std::string& limits, const std::vector<std::string>& more) {
    std::vector<std::string> words{"trajectory",  "linear", rail(limits),  "--parameter", "from=0",
                                   "--parameter", "to=3",   "--parameter", "duration=1"};
    words.insert(words.end(), more.begin(), more.end());
    return torsor(words);
  };
  const Output fast = moved("effort = 30", {"--time-optimal", "--torques", "--phase", "out.svg"});
  EXPECT_EQ(fast.exit_code, 0) << fast.err;
  EXPECT_THAT(
      fast.out,
      AllOf(HasSubstr("time-optimal 0.894427191 s, 0.8944 times the duration of the path, 1001 "
                      "points\n    rail                     limits the motion for 0.8944 s\n"),
            HasSubstr("out.svg: the phase plane\n"), HasSubstr("breaks       at 1001 times\n"),
            HasSubstr(" s, uses 1 of its limits\nscaling      1 times the duration")));
  EXPECT_THAT(read("out.svg"), AllOf(HasSubstr(">path parameter s [s]<"), HasSubstr(">ds/dt [1]<"),
                                     HasSubstr(">maximum velocity curve<")));
  EXPECT_THAT(moved("effort = 30", {"--time-optimal", "--points", "20"}).out,
              HasSubstr("21 points"));
  EXPECT_THAT(moved("", {"--time-optimal"}).err, HasSubstr("nothing limits the speed at s = 0"));
  EXPECT_THAT(moved("effort = 30", {"--points", "20"}).err, HasSubstr("--points requires"));
  EXPECT_THAT(moved("effort = 30", {"--time-optimal", "--phase", "a.txt"}).err,
              HasSubstr("--phase 'a.txt': a picture ends in .svg or .png"));

  const auto trapeze = [&](const std::string& limits, const std::vector<std::string>& more) {
    std::vector<std::string> words{"trajectory", "trapeze",     rail(limits), "--parameter",
                                   "from=0",     "--parameter", "to=3",       "--actuator-limits"};
    words.insert(words.end(), more.begin(), more.end());
    return torsor(words);
  };
  EXPECT_THAT(trapeze("effort = 30, velocity = 3", {}).out,
              AllOf(HasSubstr("rail                     3 m/s, 15 m/s^2, largest inertia 2 kg\n"),
                    HasSubstr("duration     1.2 s\n")));
  EXPECT_THAT(trapeze("effort = 30", {}).err,
              HasSubstr("--actuator-limits: joint 'rail' has no velocity limit"));
  EXPECT_THAT(trapeze("effort = 30, velocity = 3", {"--parameter", "speed=1"}).err,
              HasSubstr("--actuator-limits sets 'speed'; remove it from --parameter"));
}

TEST_F(TrajectoryCommand, PlotsAPanelForEachUnit) {
  const Output output =
      trajectory("trapeze", {"from=0,0,0,0", "to=1,2,0.5,0", "speed=1", "acceleration=4"},
                 {"--plot", "out.svg"});
  EXPECT_EQ(output.exit_code, 0) << output.err;
  const std::string picture = read("out.svg");
  for (const char* axis : {"q [rad]", "q.joint3 [m]", "v [rad/s]", "v.joint3 [m/s]"}) {
    const size_t first = picture.find(std::string(">") + axis + "<");
    EXPECT_NE(first, picture.npos) << axis;
    EXPECT_EQ(picture.find(std::string(">") + axis + "<", first + 1), picture.npos)
        << axis << " twice";
  }
  EXPECT_THAT(trajectory("trapeze", {}, {"--plot", "out.pdf"}).err,
              HasSubstr("--plot 'out.pdf': a picture ends in .svg or .png"));
}

TEST_F(TrajectoryCommand, AcceptsEveryKindOfValue) {
  EXPECT_THAT(
      trajectory("straight_line", {"from=0,0,0", "to=1,0,0,0,0,1.5", "law=cubic", "duration=2"})
          .out,
      AllOf(HasSubstr("of a frame"), HasSubstr("V.vx                     0.75 m/s"),
            HasSubstr("V.wz                     1.125 rad/s")));
  EXPECT_THAT(trajectory("fourier", {"center=0,0,0,0", "frequency=1", "sine=1,0;0,0;0,0;0,0"},
                         {"--duration", "1"})
                  .out,
              AllOf(HasSubstr("duration     inf s"), HasSubstr("all derivatives are continuous")));
  const std::string rows = file("rows.csv", "0,0,0,0,0\n1,1,1,1,1\n");
  EXPECT_THAT(trajectory("playback", {"path=" + rows, "interpolation=linear"}).out,
              HasSubstr("duration     1 s"));
}

TEST_F(TrajectoryCommand, RejectsArgumentsWithTheReason) {
  refused("cubc", {}, "there is no trajectory 'cubc'; did you mean 'cubic'?");
  refused("cubic", {"from=0,0,0,x"}, "--parameter from=0,0,0,x: 'x' is not a number");
  refused(
      "cubic", {"from=0,0,0,0", "to=1,1"},
      "parameter 'to' of 'trajectory.cubic' has 2 numbers for the joints, whose position q has 4");
  refused("cubic", {"form=0"}, "has no parameter 'form'; did you mean 'from'?");
  refused("cubic", {"from=0,0,0,0", "to=1,1,1,1", "duration=0"},
          "'duration': the value 0 s is not positive; give a positive number");
  refused("straight_line", {"from=0,0"}, "a pose is x,y,z or x,y,z,roll,pitch,yaw");
  refused("playback", {"path=none.csv"}, "none.csv: there is no such file");
  refused("sinusoid", {"center=0,0,0,0", "amplitude=1", "frequency=1"},
          "the trajectory never ends: give the time to sample with --duration");
  EXPECT_THAT(
      trajectory("cubic", {"from=0,0,0,0", "to=1,1,1,1", "duration=1"}, {"--duration", "0"}).err,
      HasSubstr("--duration 0: the time to sample must be positive"));
}

}  // namespace
}  // namespace torsor::test
