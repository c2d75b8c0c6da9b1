#include "support/described_arm.hpp"

#include "support/random_robot.hpp"

namespace torsor::test {

namespace {

Pose<double> row_pose(const DhRow& row) {
  return rotation_x(row.alpha) * translation<double>({row.d, 0, 0}) * rotation_z(row.theta) *
         translation<double>({0, 0, row.r});
}

// Returns the standard DH row of joint i. Its alpha and a are those of the next modified row.
StandardDh standard_row(size_t i) {
  const bool last = i + 1 == arm_rows.size();
  return {.a = last ? 0 : arm_rows[i + 1].d,
          .alpha = last ? 0 : arm_rows[i + 1].alpha,
          .d = arm_rows[i].r,
          .theta = arm_rows[i].theta};
}

}  // namespace

RobotDescription described_arm(Description description) {
  Random random(21);
  RobotDescription robot;
  robot.name = "arm";
  // Frames: K is the modified DH frame of a joint, L is that of its link, and p denotes the parent.
  Pose<double> X_RK = Pose<double>::identity(), X_KpLp = X_RK;
  for (size_t i = 0; i < arm_rows.size(); ++i) {
    const DhRow& row = arm_rows[i];
    const std::string number = std::to_string(i + 1);
    const Pose<double> any = random.pose(0.5), X_KpK = row_pose(row);
    const SpatialInertia<double> M_K = random_inertia(random, 0.2, 3);
    X_RK = X_RK * X_KpK;
    LinkDescription link;
    link.name = "link" + number;
    link.parent = i > 0 ? "link" + std::to_string(i) : "";
    link.joint.name = "joint" + number;
    link.joint.kind = row.kind;
    link.joint.armature = 0.01 * double(i);
    Pose<double> X_KL = Pose<double>::identity();
    const Vec3<double> z{0, 0, 1};
    switch (description) {
      case Description::modified_dh:
        link.joint.placement =
            ModifiedDh{.alpha = row.alpha, .d = row.d, .theta = row.theta, .r = row.r};
        break;
      case Description::standard_dh: {
        const StandardDh standard = standard_row(i);
        link.joint.placement = standard;
        X_KL = translation<double>({standard.a, 0, 0}) * rotation_x(standard.alpha);
        break;
      }
      case Description::screws: {
        X_KL = any;
        const Pose<double> X_LK = inverse(X_KL);
        link.joint.placement = ScrewPlacement{
            .X_PL = inverse(X_KpLp) * X_KpK * X_KL, .axis = 3.0 * (X_LK.R * z), .point = X_LK.p};
        break;
      }
      case Description::screws_at_home:
        X_KL = any;
        link.joint.placement = ScrewPlacement{.X_PL = X_RK * X_KL,
                                              .axis = 0.5 * (X_RK.R * z),
                                              .point = X_RK * (0.7 * z),
                                              .at_home = true};
        break;
    }
    link.inertia = transform(inverse(X_KL), M_K);
    robot.frames.push_back({"at" + number, link.name, inverse(X_KL), ""});
    robot.links.push_back(link);
    X_KpLp = X_KL;
  }
  return robot;
}

}  // namespace torsor::test
