// Tests of impossible motions: each is rejected in one line that states the given values and what
// to do.

#include <gmock/gmock.h>

#include <numbers>

#include "conformance/trajectories.hpp"

namespace torsor::test {
namespace {

using ::testing::HasSubstr;
using List = std::vector<double>;

std::string rejection(const std::string& id, std::vector<Parameter> parameters,
                      std::shared_ptr<const Model> model = plain_chain(2)) {
  try {
    make(id, model, parameters);
  } catch (const Error& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), message.npos) << message;
    return message;
  }
  return "taken";
}
std::vector<Parameter> motion(std::vector<Parameter> more) {
  more.insert(more.begin(), {{"from", List{0, 0}}, {"to", List{1, 2}}});
  return more;
}

TEST(TrajectoryRejections, TimesAndLimits) {
  EXPECT_THAT(
      rejection("cubic", motion({})),
      HasSubstr(
          "neither a duration nor limits are set; set 'duration', or limits for the minimum time"));
  EXPECT_THAT(rejection("cubic", motion({{"duration", List{0}}})),
              HasSubstr("rejected its parameter 'duration': the value 0 s is not positive"));
  EXPECT_THAT(rejection("cubic", motion({{"duration", List{-1}}})),
              HasSubstr("parameter 'duration' of 'trajectory.cubic' must be a list of numbers of "
                        "at least 0 s, not [-1]"));
  EXPECT_THAT(rejection("cubic", motion({{"duration", List{1, 2}}})),
              HasSubstr("'duration': it takes one number, not 2"));
  EXPECT_THAT(rejection("cubic", motion({{"speed", List{1, 0}}})),
              HasSubstr("rejected its parameter 'speed': the value 0 rad/s, m/s is not positive"));
  EXPECT_THAT(rejection("cubic", motion({{"speed", List{1, 1, 1}}})),
              HasSubstr("'speed' has 3 values for 2 coordinates; give one value, or one for each"));
  EXPECT_THAT(rejection("cubic", motion({{"acceleration", List{-1}}})),
              HasSubstr("'acceleration'"));
  EXPECT_THAT(
      rejection("cubic", motion({{"speed", List{1}}, {"duration", List{2.9}}})),
      HasSubstr("trajectory 'trajectory.cubic': the duration 2.9 s is too short for the limits; "
                "allow at least 3 s"));
  EXPECT_EQ(rejection("cubic", motion({{"speed", List{1}}, {"duration", List{3}}})), "taken");
  EXPECT_THAT(rejection("linear", motion({{"acceleration", List{1}}})),
              HasSubstr("has no parameter 'acceleration'"));
  EXPECT_THAT(rejection("trapeze", motion({{"speed", List{1}}})), HasSubstr("set both"));
  EXPECT_THAT(rejection("trapeze", motion({{"duration", List{1}}, {"ramp", List{0.6}}})),
              HasSubstr("in [0, 0.5]"));
  EXPECT_THAT(rejection("trapeze", motion({{"duration", List{1}}, {"ramp", List{0}}})),
              HasSubstr("'ramp': the value 0 of the duration is not positive"));
  EXPECT_THAT(
      rejection("trapeze",
                motion({{"speed", List{1}}, {"acceleration", List{1}}, {"ramp", List{0.1}}})),
      HasSubstr("the limits determine the ramps"));
}

TEST(TrajectoryRejections, Positions) {
  EXPECT_THAT(rejection("cubic", {{"from", List{0, 0}}, {"duration", List{1}}}),
              HasSubstr("'trajectory.cubic' needs its parameter 'to': a position q of the joints"));
  EXPECT_THAT(rejection("cubic", {{"from", List{0, 0}}, {"to", List{1, 2, 3}}}),
              HasSubstr("parameter 'to' of 'trajectory.cubic' has 3 numbers for the joints, whose "
                        "position q has 2"));
  EXPECT_THAT(rejection("cubic", {{"from", List{0}}, {"to", List{1, 2}}}),
              HasSubstr("parameter 'from' of 'trajectory.cubic' has 1 number for the joints"));
  EXPECT_THAT(rejection("cubic", {{"from", "home"}}),
              HasSubstr("must be a position q of the joints, not 'home'"));
  EXPECT_THAT(rejection("cubic", {{"from", List{0, NAN}}, {"to", List{1, 2}}}),
              HasSubstr("is not a finite number"));
}

TEST(TrajectoryRejections, Paths) {
  const auto spline = [](const Rows& rows) { return rejection("cubic_spline", {{"path", rows}}); };
  EXPECT_THAT(spline({{0, 1, 2}, {2, 1, 2}, {1, 3, 4}}),
              HasSubstr("row 3 has the time 1 s, which is not after that of the row before, 2 s"));
  EXPECT_THAT(spline({{0, 1, 2}, {0, 1, 2}}), HasSubstr("row 2 has the time 0 s"));
  EXPECT_THAT(spline({{0, 1, 2}, {1, 2}}), HasSubstr("row 2 has 1 number for the joints"));
  EXPECT_THAT(spline({{0, 1, 2}}), HasSubstr("the path has fewer than two rows"));
  EXPECT_THAT(spline({}), HasSubstr("the path has fewer than two rows"));
  EXPECT_THAT(spline({{1, 1, 2}, {2, 1, 2}}),
              HasSubstr("the path starts at 1 s; the time of its first row must be 0"));
  EXPECT_THAT(spline({{0, 1, 2}, {}}), HasSubstr("row 2 has no time"));
  EXPECT_THAT(rejection("cubic_spline",
                        {{"path", Rows{{0, 1, 2}, {1, 2, 3}}}, {"end_velocity", List{1, 2, 3}}}),
              HasSubstr("'end_velocity' has 3 values for 2 coordinates"));
  EXPECT_THAT(rejection("retarget", {{"path", Rows{{0, 1, 2}, {1, 2, 3}}}, {"duration", 0.0}}),
              HasSubstr("'duration': the value 0 s"));
}

// Checks a path that rotates a joint by more than half a turn from its first position. There the
// logarithm would jump to the other direction of rotation.
TEST(TrajectoryRejections, APathThatRotatesBeyondHalfATurn) {
  LinkDescription link;
  link.name = "ball";
  link.joint.name = "socket";
  link.joint.kind = JointKind::spherical;
  link.inertia = inertia_about_com(1, {0, 0, 0}, {1, 1, 1, 0, 0, 0});
  RobotDescription robot;
  robot.name = "ball";
  robot.links = {link};
  const auto model = build(robot);
  const auto turned = [](double t, double angle) {
    return List{t, std::cos(angle / 2), 0, 0, std::sin(angle / 2)};
  };
  const auto turn_to = [&](double angle) {
    return rejection("cubic_spline", {{"path", Rows{turned(0, 0), turned(1, 2), turned(2, angle)}}},
                     model);
  };
  EXPECT_EQ(turn_to(3.1), "taken");
  EXPECT_THAT(turn_to(3.3),
              HasSubstr("row 3 turns joint 'socket' past half a turn from the first row"));
  EXPECT_THAT(rejection("cubic", {{"from", List{1, 0, 0, 0}}, {"to", List{2, 0, 0, 0}}}, model),
              HasSubstr("has norm 2"));
}

TEST(TrajectoryRejections, Tables) {
  const auto fourier = [](const Rows& sine) {
    return rejection("fourier", {{"center", List{0, 0}}, {"frequency", 1.0}, {"sine", sine}});
  };
  EXPECT_THAT(fourier({{1, 2}, {1}}), HasSubstr("row 2 has 1 numbers, and the first has 2"));
  EXPECT_THAT(fourier({{1, 2}}), HasSubstr("'sine' has 1 rows of harmonics for 2 coordinates"));
  EXPECT_THAT(fourier({{1}, {NAN}}), HasSubstr("row 2 has nan"));
  EXPECT_THAT(fourier({}), HasSubstr("has no rows"));
  EXPECT_THAT(rejection("fourier", {{"center", List{0, 0}}, {"frequency", 1.0}}),
              HasSubstr("no amplitudes are set; set 'sine' or 'cosine'"));
  EXPECT_THAT(
      rejection("fourier", {{"center", List{0, 0}}, {"frequency", 0.0}, {"sine", Rows{{1}, {1}}}}),
      HasSubstr("the value 0 Hz is not positive"));
  EXPECT_THAT(rejection("sinusoid", {{"center", List{0, 0}}, {"frequency", List{1}}}),
              HasSubstr("'amplitude' has 0 values for 2 coordinates"));
}

TEST(TrajectoryRejections, Poses) {
  const List here{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, there{1, 0, 0, 0, 0, -1, 0, 1, 0, 1, 0, 0},
      bent{1, 0.1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  const auto line = [&](const std::string& id, const List& from, const List& to,
                        std::vector<Parameter> more) {
    more.insert(more.begin(), {{"from", from}, {"to", to}});
    return rejection(id, more);
  };
  EXPECT_EQ(line("straight_line", here, there, {{"duration", List{1}}}), "taken");
  EXPECT_THAT(line("straight_line", here, bent, {{"duration", List{1}}}),
              HasSubstr("'to' of 'trajectory.straight_line' is not a pose"));
  EXPECT_THAT(line("straight_line", here, {1, 2}, {}), HasSubstr("has 2 numbers; a pose has 12"));
  EXPECT_THAT(line("straight_line", here, there, {}), HasSubstr("neither a duration nor limits"));
  EXPECT_THAT(line("straight_line", here, there, {{"speed", List{1, 2}}}),
              HasSubstr("'speed': it takes one number"));
  EXPECT_THAT(line("straight_line", here, there, {{"law", "cubik"}}),
              HasSubstr("did you mean 'cubic'?"));
  EXPECT_THAT(line("straight_line", here, there, {{"duration", List{1}}, {"ramp", List{0.1}}}),
              HasSubstr("the law quintic has no adjustable ramps"));
  EXPECT_THAT(line("straight_line", here, there, {{"law", "linear"}, {"acceleration", List{1}}}),
              HasSubstr("the speed of this law jumps, so no acceleration limit can be met"));
  EXPECT_THAT(
      line("euler_line", here, there, {{"duration", List{1}}}),
      HasSubstr(
          "the z axis of pose 'from' is parallel to that of the world, where the Euler angles "
          "z-x-z are not unique"));
}

TEST(TrajectoryRejections, PathsThroughPoses) {
  const auto path = [](const std::string& id, const Rows& poses, std::vector<Parameter> more) {
    more.push_back({"poses", poses});
    return rejection(id, more);
  };
  const List O = numbers(Pose<double>::identity()), far = numbers({rotation_z(1).R, {1, 0, 0}}),
             there = numbers({rotation_z(1).R, {1, 1, 0}});
  List bent = O, reflected = O;
  bent[1] = 0.1;
  reflected[8] = -1;
  const List one{1};
  const Parameter speed{"speed", one}, angular{"angular_speed", one}, blend{"blend", List{0.1}};
  for (const std::string id : {"pose_lines", "pose_spline"}) {
    SCOPED_TRACE(id);
    EXPECT_THAT(rejection(id, {speed}), HasSubstr("needs its parameter 'poses': a list of poses"));
    EXPECT_THAT(path(id, {O}, {speed}), HasSubstr("it has 1 poses; a path needs two or more"));
    EXPECT_THAT(path(id, {O, far, far}, {speed}), HasSubstr("poses 2 and 3 are equal; remove one"));
    EXPECT_THAT(path(id, {O, bent}, {speed}),
                HasSubstr("row 2 is not a pose: its first 9 numbers are not a rotation matrix"));
    EXPECT_THAT(path(id, {O, reflected}, {speed}),
                HasSubstr("row 2 is not a pose: its first 9 numbers are a reflection"));
    EXPECT_THAT(path(id, {O, {1, 2}}, {speed}), HasSubstr("row 2 has 2 numbers; a pose has 12"));
    EXPECT_THAT(path(id, {O, far}, {}),
                HasSubstr("no speed is set; set 'speed', or 'angular_speed'"));
    EXPECT_THAT(path(id, {O, far}, {{"speed", List{-1}}}),
                HasSubstr("of at least 0 m/s, not [-1]"));
    EXPECT_THAT(path(id, {O, far}, {{"speed", List{0}}}),
                HasSubstr("the value 0 m/s is not positive"));
    EXPECT_THAT(
        path(id, {O, numbers(rotation_x(1))}, {speed}),
        HasSubstr("the frame only rotates between poses 1 and 2; set 'angular_speed' as well"));
    EXPECT_THAT(path(id, {far, there}, {angular}),
                HasSubstr("the frame only translates between poses 1 and 2; set 'speed' as well"));
    EXPECT_THAT(rejection(id, {speed, {"poses", O}}), HasSubstr("must be a list of poses"));
  }
  EXPECT_EQ(path("pose_lines", {O, far, there}, {speed, blend}), "taken");
  EXPECT_THAT(path("pose_lines", {O, far, there}, {speed, {"blend", List{0.51}}}),
              HasSubstr("the blends of poses 1 and 2 overlap: they take 1.02 s of the line, which "
                        "lasts 1 s; shorten the blends"));
  EXPECT_EQ(path("pose_lines", {O, far, there}, {speed, {"blend", List{0.5}}}), "taken");
  EXPECT_THAT(path("pose_lines", {O, far, there}, {speed}),
              HasSubstr("nothing determines the blend at pose 1; set 'blend' or 'acceleration'"));
  EXPECT_THAT(path("pose_lines", {O, numbers(rotation_x(1))}, {angular, blend}),
              HasSubstr("set 'blend_angle' or 'angular_acceleration'"));
  EXPECT_THAT(path("pose_lines", {O, far, there}, {speed, blend, {"acceleration", List{4}}}),
              HasSubstr("the blend at pose 2 needs"));
  EXPECT_THAT(
      path("pose_lines", {O, numbers(rotation_x(1)), numbers(rotation_x(1) * rotation_y(1))},
           {{"angular_speed", List{2.1}}, {"angular_acceleration", one}}),
      HasSubstr("no blend at pose 2 keeps the limit of the angular acceleration"));
  EXPECT_THAT(path("pose_spline", {O, far, there}, {speed}),
              HasSubstr("the ramps need limits of both speed and acceleration; set both"));
  EXPECT_THAT(path("pose_spline", {O, far, O}, {speed, {"law", "linear"}}),
              HasSubstr("the path turns back or turns too sharply between poses"));
  EXPECT_THAT(path("pose_spline", {O, far, there}, {angular, {"acceleration", one}}),
              HasSubstr("the frame only translates"));
  EXPECT_THAT(path("pose_spline", {O, far}, {angular, {"acceleration", one}}),
              HasSubstr("'acceleration' needs 'speed'; set it too"));
  EXPECT_THAT(
      path("pose_spline", {O, far, there}, {speed, {"law", "linear"}, {"duration", List{1.5}}}),
      HasSubstr("s is too short for the limits; allow at least"));
}

// Checks that a translation or rotation without a limit is rejected. Otherwise its duration would
// be zero, or that of the other part.
TEST(TrajectoryRejections, PartsOfALineWithoutALimit) {
  const auto line = [](const std::string& id, const Twist<double>& motion,
                       std::vector<Parameter> more) {
    const Pose<double> from = rotation_x(1), to{from.R * exp_so3(motion.w), motion.v};
    more.insert(more.begin(), {{"from", numbers(from)}, {"to", numbers(to)}});
    return rejection(id, more);
  };
  const Twist<double> slides{{0, 0, 0}, {0.5, 0, 0}}, turns{{0, 0.3, 0}, {0, 0, 0}},
      both = slides + turns;
  const List one{1};
  for (const std::string id : {"straight_line", "euler_line"}) {
    SCOPED_TRACE(id);
    for (const Twist<double>& motion : {slides, both}) {
      EXPECT_THAT(line(id, motion, {{"angular_speed", one}}),
                  HasSubstr("the path has no limit; set speed or duration"));
      EXPECT_EQ(line(id, motion, {{"angular_speed", one}, {"duration", List{2}}}), "taken");
    }
    for (const Twist<double>& motion : {turns, both}) {
      EXPECT_THAT(line(id, motion, {{"speed", one}}),
                  HasSubstr("the rotation has no limit; set angular_speed or duration"));
      EXPECT_EQ(line(id, motion, {{"speed", one}, {"duration", List{2}}}), "taken");
      EXPECT_EQ(line(id, motion, {{"acceleration", one}, {"angular_acceleration", one}}), "taken");
    }
    EXPECT_EQ(line(id, slides, {{"speed", one}}), "taken");
    EXPECT_EQ(line(id, turns, {{"angular_speed", one}}), "taken");
    for (const char* limit : {"speed", "acceleration", "angular_speed", "angular_acceleration"})
      EXPECT_EQ(line(id, {}, {{limit, one}}), "taken");
    // Two computations of the same pose differ by rounding, so a tiny rotation needs no limit.
    EXPECT_EQ(line(id, slides + 1e-9 * turns, {{"speed", one}}), "taken");
    EXPECT_THAT(line(id, slides + 1e-8 * turns, {{"speed", one}}),
                HasSubstr("the rotation has no limit"));
    EXPECT_THAT(
        line(id, turns,
             {{"law", "trapeze"}, {"speed", one}, {"acceleration", one}, {"angular_speed", one}}),
        HasSubstr("the ramps of the rotation need limits of both speed and acceleration"));
  }
}

}  // namespace
}  // namespace torsor::test
