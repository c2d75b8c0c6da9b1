// Tests of inverse kinematics: solutions against forward kinematics, and failures against the known
// geometry of simple arms.

#include "torsor/mechanics/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "support/error_of.hpp"
#include "support/known_robots.hpp"
#include "support/random_state.hpp"
#include "torsor/formats/robot_file.hpp"

namespace torsor::test {
namespace {

using ModelPtr = std::shared_ptr<const Model>;

// Returns an arm in the x-y plane with links of length 1 and the frame "tip".
RobotDescription planar(int n, double lower = -HUGE_VAL, double upper = HUGE_VAL) {
  RobotDescription out = planar_n_link(Vector::Ones(n), Vector::Ones(n));
  for (LinkDescription& link : out.links) link.joint.lower = lower, link.joint.upper = upper;
  out.frames.push_back({"tip", "link" + std::to_string(n), translation<double>({1, 0, 0}), ""});
  return out;
}

Frame frame_of(const Model& model, const std::string& name) {
  return model.frames[size_t(model.frame(name))];
}

PoseTarget position(const Model& model, const std::string& frame, const Vec3<double>& p) {
  return {frame_of(model, frame), translation(p), position_components};
}

bool within_limits(const Model& model, const std::vector<double>& q) {
  return std::all_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    const double x = q[size_t(joint.q_index)];
    return traits(joint.kind).n_v != 1 || (x >= joint.lower && x <= joint.upper);
  });
}

Pose<double> pose_at(const ModelPtr& model, const Frame& frame, const std::vector<double>& q) {
  State state(model);
  state.set_q(q);
  return frame_pose(state, frame);
}

// Returns the distance between the pose at q and the target, by forward kinematics alone.
double pose_error(const ModelPtr& model, const PoseTarget& target, const std::vector<double>& q) {
  const Pose<double> X = pose_at(model, target.frame, q);
  const Vec3<double> u = log_so3(target.X_WF.R * transpose(X.R)), d = target.X_WF.p - X.p;
  return std::sqrt(dot(u, u) + dot(d, d));
}

struct Counts {
  int found = 0, iterations = 0, most = 0;
  double worst = 0;
};

// Searches for n random poses within the limits of the arm. Each start differs from the goal by up
// to `away` along every dof.
Counts reach_random_poses(const ModelPtr& model, const Frame& frame, int n, double away,
                          uint64_t seed) {
  Random random(seed);
  Counts out;
  for (int i = 0; i < n; ++i) {
    std::vector<double> goal = neutral(*model), start = goal;
    for (const Joint& joint : model->joints) {
      const double lower = std::max(joint.lower, -M_PI), upper = std::min(joint.upper, M_PI);
      double& x = goal[size_t(joint.q_index)];
      x = random.uniform(lower, upper);
      start[size_t(joint.q_index)] = std::clamp(x + random.uniform(-away, away), lower, upper);
    }
    const PoseTarget target{frame, pose_at(model, frame, goal)};
    const SearchResult result = solve_inverse_kinematics(model, target, start);
    EXPECT_TRUE(within_limits(*model, result.q));
    if (result.end != SearchEnd::found) continue;
    ++out.found;
    out.iterations += result.iterations;
    out.most = std::max(out.most, result.iterations);
    out.worst = std::max(out.worst, pose_error(model, target, result.q));
  }
  std::printf("%s: %d of %d found, %.1f iterations on average, %d at most, worst residual %.2g\n",
              model->robots.front().name.c_str(), out.found, n,
              double(out.iterations) / std::max(out.found, 1), out.most, out.worst);
  return out;
}

TEST(InverseKinematics, ReachesRandomPosesOfTheIiwa) {
  const ModelPtr model = build(iiwa(stored_table("iiwa_second_order.json")));
  for (const double away : {0.1, 0.5, 1.0, 3.0}) {
    const Counts counts = reach_random_poses(model, frame_of(*model, "link7"), 1000, away, 1);
    EXPECT_GE(counts.found, away < 2 ? 980 : 900) << away;
    EXPECT_LT(counts.worst, 1e-12);
  }
}

// The arms with limits, and the tool frame of each.
const std::map<std::string, std::string> tools = {
    {"iiwa7", "l006"}, {"panda", "panda_link8"}, {"ur5", "tool0"}};
std::vector<std::string> arms_with_limits() {
  std::vector<std::string> arms = all_robots();
  std::erase_if(arms, [](const std::string& arm) { return !tools.contains(arm); });
  return arms;
}
class ArmWithLimits : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(InverseKinematics, ArmWithLimits, testing::ValuesIn(arms_with_limits()),
                         [](const auto& arm) { return arm.param; });

TEST_P(ArmWithLimits, ReachesRandomPoses) {
  const ModelPtr model = build(read_robot_file(robot_file(GetParam())));
  const Counts counts =
      reach_random_poses(model, frame_of(*model, tools.at(GetParam())), 300, 0.3, 2);
  EXPECT_GE(counts.found, 270);
  EXPECT_LT(counts.worst, 1e-12);
}

// Checks every kind of joint, including floating ones: from a nearby start, the search finds a
// reachable pose.
TEST(InverseKinematics, MovesEveryKindOfJoint) {
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const ModelPtr model = build(random_robot(7, Shape::chain, seed, Kinds::every));
    const std::vector<double> goal = random_position(random, *model, 2);
    std::vector<double> start = goal;
    integrate(*model, goal.data(), random_values(random, model->n_v, 0.2).data(), 1, start.data());
    const Frame& frame = model->frames.back();
    const PoseTarget target{frame, pose_at(model, frame, goal)};
    const SearchResult result = solve_inverse_kinematics(model, target, start);
    EXPECT_EQ(result.end, SearchEnd::found) << explain(*model, target, result);
    EXPECT_LT(pose_error(model, target, result.q), 1e-12);
    EXPECT_LT(result.error(), 1e-12);
  }
}

// Checks that each iteration squares the error, also for a redundant arm. From a start 0.01 rad
// off, three iterations reach 1e-12.
TEST(InverseKinematics, ConvergesQuadratically) {
  const ModelPtr model = build(iiwa(stored_table("iiwa_second_order.json")));
  const std::vector<double> goal{0.3, -0.8, 0.5, 1.2, -0.4, 0.7, 0.2};
  std::vector<double> start = goal;
  for (double& x : start) x += 0.01;
  const PoseTarget target{frame_of(*model, "link7"),
                          pose_at(model, frame_of(*model, "link7"), goal)};
  EXPECT_LE(solve_inverse_kinematics(model, target, start).iterations, 4);
  std::vector<double> errors;
  for (int n = 0; n < 3; ++n)
    errors.push_back(solve_inverse_kinematics(model, target, start, {.max_iterations = n}).error());
  EXPECT_LT(errors[1], 10 * errors[0] * errors[0]);
  EXPECT_LT(errors[2], 10 * errors[1] * errors[1] + 1e-15);
}

// Checks the elbow angle against the law of cosines.
// Equations: KHALIL 9.18.
TEST(InverseKinematics, FindsTheElbowOfAPlanarArm) {
  const ModelPtr model = build(planar(2));
  const Vec3<double> p{0.7, 1.1, 0};
  const double elbow = std::acos((dot(p, p) - 2) / 2);
  for (const double side : {1.0, -1.0}) {
    const SearchResult result =
        solve_inverse_kinematics(model, position(*model, "tip", p), std::vector<double>{0, side});
    ASSERT_EQ(result.end, SearchEnd::found);
    EXPECT_NEAR(result.q[1], side * elbow, 1e-12);
  }
}

TEST(InverseKinematics, ReportsTheDistanceToATargetOutOfReach) {
  const ModelPtr model = build(planar(2));
  const PoseTarget target = position(*model, "tip", {3, 0, 0});
  const SearchResult result =
      solve_inverse_kinematics(model, target, std::vector<double>{0.4, -0.9});
  EXPECT_EQ(result.end, SearchEnd::out_of_reach);
  EXPECT_NEAR(result.error(), 1, 1e-12);
  EXPECT_NEAR(result.task_direction[3], 1, 1e-6);
  EXPECT_EQ(explain(*model, target, result),
            "the target of frame 'tip' is out of reach: the frame stops 1 m from it");
}

// Checks a target outside the plane in which the arm moves.
TEST(InverseKinematics, ADirectionThatNoJointMovesIsOutOfReach) {
  const ModelPtr model = build(planar(2));
  const SearchResult result = solve_inverse_kinematics(model, position(*model, "tip", {1, 1, 0.25}),
                                                       std::vector<double>{0.4, 0.9});
  EXPECT_EQ(result.end, SearchEnd::out_of_reach);
  EXPECT_NEAR(result.residual[5], 0.25, 1e-15);
  EXPECT_LT(std::hypot(result.residual[3], result.residual[4]), 1e-7);
  EXPECT_NEAR(result.task_direction[5], 1, 1e-9);
}

// Checks searches for random subsets of the components, from starts with large rotation errors. If
// a search ends out of reach, no configuration nearby is closer.
TEST(InverseKinematics, OutOfReachIsALocalMinimumForAnyComponents) {
  int out_of_reach = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    TORSOR_TRACE_SEED(seed);
    Random random(seed);
    const ModelPtr model = build(random_robot(2, Shape::chain, seed));
    PoseTarget target{model->frames.back(), random.pose(0.3)};
    for (bool& counts : target.components) counts = random.below(3) > 0;
    target.components[0] = true;
    const auto error = [&](const std::vector<double>& q) {
      const Pose<double> X = pose_at(model, target.frame, q);
      const Vec3<double> u = log_so3(target.X_WF.R * transpose(X.R)), d = target.X_WF.p - X.p;
      const double e[] = {u.x, u.y, u.z, d.x, d.y, d.z};
      double sum = 0;
      for (size_t k = 0; k < 6; ++k) sum += target.components[k] ? e[k] * e[k] : 0;
      return std::sqrt(sum);
    };
    const SearchResult result =
        solve_inverse_kinematics(model, target, random_position(random, *model, 1));
    EXPECT_NEAR(error(result.q), result.error(), 1e-14);
    if (result.end != SearchEnd::out_of_reach) continue;
    ++out_of_reach;
    for (int k = 0; k < 100; ++k) {
      std::vector<double> q = result.q;
      integrate(*model, q.data(), random_values(random, model->n_v, 1).data(), 1e-3, q.data());
      EXPECT_GE(error(q), result.error() * (1 - 1e-12));
    }
  }
  EXPECT_GT(out_of_reach, 25);
}

// Checks a stretched arm whose target is on the line towards its base. There J^T e is zero,
// although bending in either direction reduces the error.
TEST(InverseKinematics, ReportsTheSingularDirectionOfAStretchedArm) {
  const ModelPtr model = build(planar(2));
  const PoseTarget target = position(*model, "tip", {1.5, 0, 0});
  const SearchResult result = solve_inverse_kinematics(model, target, std::vector<double>{0, 0});
  ASSERT_EQ(result.end, SearchEnd::singular);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_NEAR(result.task_direction[3], -1, 1e-12);
  // The search succeeds from a start displaced along the reported direction, in either sense.
  for (const double side : {0.1, -0.1}) {
    const std::vector<double> start{side * result.joint_direction[0],
                                    side * result.joint_direction[1]};
    EXPECT_EQ(solve_inverse_kinematics(model, target, start).end, SearchEnd::found);
  }
  const std::string text = explain(*model, target, result);
  EXPECT_NE(
      text.find(
          "stops 0.5 m from its target in a singular configuration: it cannot be moved along "
          "(rotation 0 0 0, translation -1 0 0); a start displaced a little along joint 'joint1' "),
      std::string::npos)
      << text;
}

// Checks that other starts are tried if the first search ends singular. The starts are the same in
// each call.
TEST(InverseKinematics, TriesTheSameStartsEachTime) {
  const ModelPtr model = build(planar(2));
  const PoseTarget target = position(*model, "tip", {1.5, 0, 0});
  const std::vector<double> start{0, 0};
  const SearchFromStarts found = solve_from_several_starts(model, target, start, 10);
  EXPECT_EQ(found.result.end, SearchEnd::found);
  EXPECT_GT(found.searches, 1);
  EXPECT_EQ(solve_from_several_starts(model, target, start, 10).result.q, found.result.q);
  const SearchFromStarts none =
      solve_from_several_starts(model, position(*model, "tip", {3, 0, 0}), start, 5);
  EXPECT_EQ(none.searches, 5);
  EXPECT_EQ(none.result.end, SearchEnd::out_of_reach);
  EXPECT_NEAR(none.result.error(), 1, 1e-9);
}

// Checks an arm whose elbow bends to a right angle at most. Its tip is therefore at least sqrt(2)
// from the base. The target is at the distance 1.
TEST(InverseKinematics, StopsExactlyAtLimitsAndNamesThem) {
  const ModelPtr model = build(planar(2, -M_PI / 2, M_PI / 2));
  const PoseTarget target = position(*model, "tip", {1, 0, 0});
  const SearchResult result =
      solve_inverse_kinematics(model, target, std::vector<double>{0.1, 0.4});
  ASSERT_EQ(result.end, SearchEnd::at_limits);
  EXPECT_EQ(result.q[1], M_PI / 2);
  EXPECT_NEAR(result.q[0], -M_PI / 4, 1e-7);
  EXPECT_NEAR(result.error(), std::sqrt(2) - 1, 1e-12);
  ASSERT_EQ(result.limits.size(), 1u);
  EXPECT_EQ(model->joints[size_t(result.limits[0].joint)].name, "joint2");
  EXPECT_TRUE(result.limits[0].upper);
  EXPECT_EQ(explain(*model, target, result),
            "frame 'tip' stops 0.414 m from its target at joint limits: the upper limit of joint "
            "'joint2'; another start may reach it");
}

// Checks that a redundant arm continues with its other joints when one reaches a limit. If the
// search ends at limits, no configuration nearby within the limits is closer.
TEST(InverseKinematics, ContinuesAlongLimits) {
  const ModelPtr model = build(planar(4, -0.6, 0.7));
  const Frame tip = frame_of(*model, "tip");
  Random random(3);
  int found = 0, on_limits = 0;
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> goal = random_values(random, 4, 0.6),
                              start = random_values(random, 4, 0.6);
    const PoseTarget target = position(*model, "tip", pose_at(model, tip, goal).p);
    const SearchResult result = solve_inverse_kinematics(model, target, start);
    EXPECT_TRUE(within_limits(*model, result.q));
    found += result.end == SearchEnd::found;
    on_limits += std::any_of(result.q.begin(), result.q.end(),
                             [](double x) { return x == -0.6 || x == 0.7; });
    if (result.end == SearchEnd::found) continue;
    EXPECT_EQ(result.end, SearchEnd::at_limits) << i;
    for (int k = 0; k < 100; ++k) {
      std::vector<double> q = result.q;
      for (double& x : q) x = std::clamp(x + random.uniform(-0.01, 0.01), -0.6, 0.7);
      EXPECT_GE(norm(pose_at(model, tip, q).p - target.X_WF.p), result.error()) << i;
    }
  }
  EXPECT_GE(found, 90);
  EXPECT_GE(on_limits, 5);
}

TEST(InverseKinematics, LocksJointsAndSelectsComponents) {
  const ModelPtr model = build(planar(4));
  const std::vector<double> start{0.1, 0.7, -0.4, 0.5};
  PoseTarget target = position(*model, "tip", {1.5, 1.2, 0});
  target.X_WF.R = rotation_z(0.3).R;
  target.components = {false, false, true, true, true, false};
  const SearchResult result = solve_inverse_kinematics(model, target, start, {.locked = {1}});
  EXPECT_EQ(result.end, SearchEnd::found);
  EXPECT_EQ(result.q[1], 0.7);
  EXPECT_NEAR(result.q[0] + result.q[1] + result.q[2] + result.q[3], 0.3, 1e-12);
  EXPECT_LT(norm(pose_at(model, target.frame, result.q).p - target.X_WF.p), 1e-12);
}

// Checks that joint 2, which mimics joint 1, moves with it. Both remain within their limits.
TEST(InverseKinematics, RespectsMimicsAndTheirLimits) {
  RobotDescription robot = planar(3);
  robot.links[1].joint.mimic = Mimic{.joint = "joint1", .ratio = -2, .offset = 0.1};
  robot.links[1].joint.lower = -1;
  const ModelPtr model = build(robot);
  const Vec3<double> goal = pose_at(model, frame_of(*model, "tip"), {0.4, -0.7, 0.9}).p;
  const SearchResult result = solve_inverse_kinematics(model, position(*model, "tip", goal),
                                                       std::vector<double>{0.2, 0, 0.5});
  EXPECT_EQ(result.end, SearchEnd::found);
  EXPECT_EQ(result.q[1], -2 * result.q[0] + 0.1);
  const PoseTarget far =
      position(*model, "tip", pose_at(model, frame_of(*model, "tip"), {0.8, -1.5, 0.4}).p);
  const SearchResult stopped =
      solve_inverse_kinematics(model, far, std::vector<double>{0.5, 0, 0.3});
  EXPECT_EQ(stopped.end, SearchEnd::at_limits);
  EXPECT_NEAR(stopped.q[1], -1, 1e-15);
  EXPECT_EQ(model->joints[size_t(stopped.limits.at(0).joint)].name, "joint2");
}

TEST(InverseKinematics, RejectsStartsOutsideLimitsAndLockedMimics) {
  const ModelPtr bounded = build(planar(2, -1, 1));
  EXPECT_EQ(error_of([&] {
              (void)solve_inverse_kinematics(bounded, position(*bounded, "tip", {1, 1, 0}),
                                             std::vector<double>{0, 1.5});
            }),
            "the start is outside the limits of joint 'joint2': 1.5 is above the upper limit 1");
  RobotDescription robot = planar(2);
  robot.links[1].joint.mimic = Mimic{.joint = "joint1"};
  const ModelPtr model = build(robot);
  EXPECT_EQ(error_of([&] {
              (void)solve_inverse_kinematics(model, position(*model, "tip", {1, 1, 0}),
                                             std::vector<double>{0, 0}, {.locked = {1}});
            }),
            "joint 'joint2' mimics joint 'joint1'; name that joint instead");
}

TEST(InverseKinematics, StartsWithinLimits) {
  RobotDescription robot = planar(3);
  robot.links[0].joint.lower = 1;
  robot.links[1].joint.lower = -3, robot.links[1].joint.upper = -1;
  EXPECT_EQ(start_within_limits(*build(robot)), (std::vector<double>{1, -2, 0}));
}

}  // namespace
}  // namespace torsor::test
