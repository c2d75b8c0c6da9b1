#pragma once
// Small robots for tests of writers, and their way through a file.

#include "formats/exported_robot.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::test::small_robots {

// Returns a link with the joint "joint_of_NAME" about or along z.
inline LinkDescription link(const std::string& name, const std::string& parent, JointKind kind,
                            const Pose<double>& X_PL = Pose<double>::identity()) {
  LinkDescription out;
  out.name = name;
  out.parent = parent;
  out.joint.kind = kind;
  if (kind != JointKind::fixed) out.joint.name = "joint_of_" + name;
  out.joint.placement = ScrewPlacement{.X_PL = X_PL, .axis = {0, 0, 1}};
  out.inertia = inertia_about_com(1, {0.1, 0.2, 0.3}, {0.2, 0.21, 0.22, 0, 0, 0});
  return out;
}

inline RobotDescription robot_of(std::vector<LinkDescription> links) {
  RobotDescription out;
  out.name = "r";
  out.links = std::move(links);
  return out;
}

// A chain of three links that is closed at q = 0 by a closure between c and the world or a.
inline RobotDescription loop(ClosureKind kind, const std::string& first,
                             const std::string& second) {
  RobotDescription robot = robot_of(
      {link("a", "", JointKind::revolute, translation<double>({0.1, 0, 0}) * rotation_y(0.3)),
       link("b", "a", JointKind::revolute, translation<double>({0.2, 0.1, 0}) * rotation_x(0.4)),
       link("c", "b", JointKind::revolute, translation<double>({0, 0.3, 0.1}) * rotation_z(0.5))});
  Pose<double> X_WL[3];
  for (size_t k = 0; k < 3; ++k)
    X_WL[k] = (k == 0 ? Pose<double>::identity() : X_WL[k - 1]) *
              std::get<ScrewPlacement>(robot.links[k].joint.placement).X_PL;
  const auto pose_of = [&](const std::string& name) {
    return name == "world" ? Pose<double>::identity() : X_WL[name[0] - 'a'];
  };
  const Pose<double> X_WE = translation<double>({0.5, 0.2, 0.1}) * rotation_x(1.1);
  ClosureDescription closure;
  closure.name = "loop";
  closure.kind = kind;
  closure.frames[0] = first;
  closure.frames[1] = second;
  const Vec3<double> axis{0, 0.6, 0.8};
  for (size_t k = 0; k < 2; ++k) {
    closure.origins[k] = inverse(pose_of(closure.frames[k])) * X_WE;
    closure.axes[k] = axis;
  }
  if (kind == ClosureKind::universal) closure.axes[1] = {1, 0, 0};
  if (kind == ClosureKind::screw) closure.parameter = 0.1;
  robot.closures = {closure};
  return robot;
}

// Writes a robot and reads it again.
struct RoundTrip {
  RoundTrip(const RobotDescription& robot, const char* format, const Assembly& assemble = {})
      : written(write(robot, *robot_target(format), folder.path(), assemble)),
        report(written.report(1000)),
        read(read_again(*robot_target(format), folder.path())) {}
  ScratchFolder folder;
  ExportedRobot written;
  std::string report;
  RobotDescription read;
};

}  // namespace torsor::test::small_robots
