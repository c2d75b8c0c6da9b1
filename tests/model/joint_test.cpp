// Tests of the laws of joints, for every kind in the table. q and v parametrise a subgroup of SE(3)
// with constant body-fixed screws.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/log_se3.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

std::vector<std::string> moving_kinds() {
  std::vector<std::string> names;
  for (const std::string& name : joint_kind_names())
    if (traits(*joint_kind(name)).n_v > 0) names.push_back(name);
  return names;
}

double size(const Twist<double>& V) {
  return std::sqrt(dot(V.w, V.w) + dot(V.v, V.v));
}
Twist<double> as_twist(const Pose<double>& near_identity) {
  return log_se3(near_identity);
}

// A model of one body on one joint.
class JointLaws : public testing::TestWithParam<std::string> {
 protected:
  JointLaws() {
    LinkDescription link;
    link.name = "body";
    link.joint.name = "joint";
    link.joint.kind = kind;
    if (traits(kind).user_pitch) link.joint.pitch = 0.3;
    ScrewPlacement screw{.X_PL = random.pose(1)};
    if (traits(kind).axis) screw.axis = random.direction();
    link.joint.placement = screw;
    RobotDescription robot;
    robot.name = "one";
    robot.links = {link};
    model = build(robot);
  }

  using Values = std::vector<double>;
  Values values(double size) { return random_values(random, model->n_v, size); }
  Values position() { return random_position(random, *model, 1.5); }
  Pose<double> pose(const Values& q) const {
    Values scratch(pose_scratch(*model));
    Pose<double> X[2];
    evaluate_poses(*model, q.data(), scratch.data(), X);
    return X[1];
  }
  Values moved(const Values& q, const Values& v, double h = 1) const {
    Values out(q.size());
    integrate(*model, q.data(), v.data(), h, out.data());
    return out;
  }
  Values between(const Values& q0, const Values& q1) const {
    Values out(size_t(model->n_v));
    difference(*model, q0.data(), q1.data(), out.data());
    return out;
  }
  Values rate(const Values& d, const Values& v) const {
    Values out(size_t(model->n_v));
    chart_rate(*model, d.data(), v.data(), out.data());
    return out;
  }
  Twist<double> twist(const Values& v) const {
    Twist<double> V{};
    for (size_t k = 0; k < v.size(); ++k) V = V + v[k] * model->S_B[k];
    return V;
  }
  // Returns a random velocity. If it rotates, its rotation has the given angle.
  Values turned_by(double angle) {
    Values d = values(1);
    const double turn = norm(twist(d).w);
    for (size_t k = 0; k < d.size(); ++k)
      if (turn > 0 && traits(kind).dofs[k].turns()) d[k] *= angle / turn;
    return d;
  }
  static Values combined(double s, const Values& a, double t, const Values& b) {
    Values out(a.size());
    for (size_t k = 0; k < a.size(); ++k) out[k] = s * a[k] + t * b[k];
    return out;
  }
  static double distance(const Values& a, const Values& b) {
    double sum = 0;
    for (size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
    return std::sqrt(sum);
  }

  Random random{17};
  JointKind kind = *joint_kind(GetParam());
  std::shared_ptr<const Model> model;
};
INSTANTIATE_TEST_SUITE_P(Kinds, JointLaws, testing::ValuesIn(moving_kinds()),
                         [](const auto& test) { return test.param; });

// Rotation angles: zero, small ones, and large ones up to almost pi. They include both sides of the
// switches of the series at |u|^2, and at |u|^2 / 4 for quaternions.
const double angles[] = {0,
                         1e-12,
                         1e-8,
                         1e-4,
                         0.1,
                         std::sqrt(1.5) - 1e-9,
                         std::sqrt(1.5) + 1e-9,
                         2,
                         std::sqrt(6) - 1e-9,
                         std::sqrt(6) + 1e-9,
                         3,
                         M_PI - 1e-6};
const double angles_beyond[] = {3.5, 4.5, 5.5, 6};

TEST_P(JointLaws, NeutralIsTheIdentity) {
  const Values q = neutral(*model);
  const Pose<double> X = pose(q), X0 = model->X_PB0[1];
  EXPECT_THAT(X.R.m, testing::ElementsAreArray(X0.R.m));
  EXPECT_THAT((std::array{X.p.x, X.p.y, X.p.z}), testing::ElementsAre(X0.p.x, X0.p.y, X0.p.z));
  EXPECT_EQ(int(q.size()), traits(kind).n_q);
}

// Checks that the template for other scalars and the function of the table compute the same pose.
TEST_P(JointLaws, ThePoseOfOtherScalarsIsThatOfTheTable) {
  const JointMaps* maps = traits(kind).maps;
  if (!maps) return;
  const Values q = position();
  const Pose<double> X = pose_of_maps(kind, q.data()), expected = maps->pose(q.data());
  EXPECT_THAT(X.R.m, testing::ElementsAreArray(expected.R.m));
  EXPECT_EQ(norm(X.p - expected.p), 0);
}

// Checks Xdot = X [S v] against central differences along a curve that is not a one-parameter
// subgroup. The error of the differences is of second order.
TEST_P(JointLaws, TheRateOfThePoseIsThatOfTheScrews) {
  const Values q = position(), v = values(2), bend = values(2);
  const auto at = [&](double t) { return pose(moved(moved(q, v, t), bend, t * t)); };
  const auto error = [&](double h) {
    const Pose<double> X = at(0), next = at(h), last = at(-h);
    const Twist<double> V = as_twist(inverse(X) * next) - as_twist(inverse(X) * last);
    return size(0.5 / h * V - twist(v));
  };
  EXPECT_LT(error(1e-4), 1e-6);
  if (error(0.02) > 1e-10) {
    EXPECT_NEAR(std::log2(error(0.02) / error(0.01)), 2, 0.1);
  }
}

TEST_P(JointLaws, IntegrationIsTheExponentialOfTheScrews) {
  for (const double angle : angles) {
    const Values q = position(), d = turned_by(angle);
    const Pose<double> expected = pose(q) * exp_se3(twist(d));
    EXPECT_LT(size(as_twist(inverse(expected) * pose(moved(q, d)))), 1e-14) << angle;
  }
}

TEST_P(JointLaws, IntegrationInPlaceIsTheSame) {
  Values q = position();
  const Values v = values(1), out = moved(q, v, 0.3);
  integrate(*model, q.data(), v.data(), 0.3, q.data());
  EXPECT_EQ(q, out);
}

TEST_P(JointLaws, DifferenceIsTheInverseOfIntegration) {
  for (const double angle : angles) {
    const Values q = position(), d = turned_by(angle);
    EXPECT_LT(distance(between(q, moved(q, d)), d), angle > 3.1 ? 1e-9 : 1e-14 + 4e-15 * angle)
        << angle;
    const Values q1 = position();
    const Pose<double> back = pose(moved(q, between(q, q1)));
    EXPECT_LT(size(as_twist(inverse(pose(q1)) * back)), 2e-14);
  }
}

TEST_P(JointLaws, MovesAlongOneDirectionAddUp) {
  const Values q = position(), d = values(1);
  const Values at_once = moved(q, d, 0.7 + 0.4), in_two = moved(moved(q, d, 0.7), d, 0.4);
  EXPECT_LT(distance(at_once, in_two), 1e-14);
}

// Checks that q0 (+) d(t) moves at the velocity v if d changes at the rate d_dot. All angles below
// a full turn are allowed.
TEST_P(JointLaws, ChartRateMovesAtV) {
  const auto expect_moves = [&](double angle, double allowed) {
    const Values q0 = position(), d = turned_by(angle), v = values(1), d_dot = rate(d, v);
    const auto slope = [&](double h) {
      const Values next = moved(q0, combined(1, d, h, d_dot)),
                   last = moved(q0, combined(1, d, -h, d_dot));
      return combined(0.5 / h, between(last, next), 0, v);
    };
    const Values extrapolated = combined(4.0 / 3, slope(5e-3), -1.0 / 3, slope(1e-2));
    EXPECT_LT(distance(extrapolated, v), allowed * (1 + distance(d_dot, Values(d.size(), 0))))
        << angle;
  };
  for (const double angle : angles) expect_moves(angle, 1e-8);
  for (const double angle : angles_beyond) expect_moves(angle, 1e-4);
}

// Checks dexp_(-d)^-1 v = v + [d, v]/2 + [d, [d, v]]/12 - [d, [d, [d, [d, v]]]]/720 + ...
TEST_P(JointLaws, ChartRateIsTheSeriesNearZero) {
  for (const double scale : {0.0, 1e-12, 1e-8, 1e-5, 1e-3, 1e-2}) {
    const Values d = combined(scale, values(1), 0, values(1)), v = values(1);
    const Twist<double> D = twist(d), V = twist(v), V1 = ad(D, V), V2 = ad(D, V1),
                        V4 = ad(D, ad(D, V2));
    const Twist<double> expected = V + 0.5 * V1 + (1.0 / 12) * V2 - (1.0 / 720) * V4;
    EXPECT_LT(size(twist(rate(d, v)) - expected), 1e-15 + std::pow(scale, 6)) << scale;
  }
}

TEST_P(JointLaws, ChartRateIsContinuousAtTheSeriesSwitch) {
  for (const double turn : {std::sqrt(series_switch), 3.0}) {
    const Values d = turned_by(turn), v = values(1);
    const double before = 1 - 1e-12, after = 1 + 1e-12;
    EXPECT_LT(distance(rate(combined(before, d, 0, d), v), rate(combined(after, d, 0, d), v)),
              1e-11);
  }
}

TEST_P(JointLaws, QuaternionsStayOfNormOneForAMillionSteps) {
  const JointMaps* maps = traits(kind).maps;
  if (!maps || maps->quaternion < 0) return;
  Values q = position();
  const Values v = values(3);
  double worst = 0;
  for (int k = 0; k < 1000000; ++k) {
    integrate(*model, q.data(), v.data(), 1e-2, q.data());
    const double* r = q.data() + maps->quaternion;
    worst = std::max(worst, std::abs(norm(Quaternion{r[0], r[1], r[2], r[3]}) - 1));
  }
  EXPECT_LT(worst, 4 * std::numeric_limits<double>::epsilon());
}

TEST_P(JointLaws, ACoordinateOfTheUserIsNormalised) {
  Values q = position();
  const Values good = q;
  normalise(*model, q);
  EXPECT_EQ(q, good) << "what is of norm 1 stays";
  const JointMaps* maps = traits(kind).maps;
  if (!maps || maps->quaternion < 0) return;
  double* r = q.data() + maps->quaternion;
  for (int k = 0; k < 4; ++k) r[k] *= 0.995;
  normalise(*model, q);
  EXPECT_LT(distance(q, good), 1e-15);
  for (const double factor : {0.0, 0.98, 1.02, double(NAN)}) {
    Values bad = good;
    for (int k = 0; k < 4; ++k) bad[size_t(maps->quaternion + k)] *= factor;
    try {
      normalise(*model, bad);
      ADD_FAILURE() << "no error for norm " << factor;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(),
                  testing::AllOf(testing::StartsWith("joint 'joint': the quaternion"),
                                 testing::HasSubstr(fmt::format("has norm {:g}", factor))));
    }
  }
}

TEST(JointTable, NamesEveryEntry) {
  RobotDescription robot;
  robot.name = "one";
  for (const char* kind : {"floating", "revolute"}) {
    LinkDescription link;
    link.name = kind;
    link.parent = robot.links.empty() ? "" : robot.links.back().name;
    link.joint.name = std::string("by_") + kind;
    link.joint.kind = *joint_kind(kind);
    robot.links.push_back(link);
  }
  const auto model = build(robot);
  EXPECT_THAT(
      model->coordinate_names(),
      testing::ElementsAre("by_floating.x", "by_floating.y", "by_floating.z", "by_floating.qw",
                           "by_floating.qx", "by_floating.qy", "by_floating.qz", "by_revolute"));
  EXPECT_THAT(
      model->dof_names(),
      testing::ElementsAre("by_floating.wx", "by_floating.wy", "by_floating.wz", "by_floating.vx",
                           "by_floating.vy", "by_floating.vz", "by_revolute"));
  EXPECT_EQ(model->dof(3).tau_unit(), "N");
  EXPECT_EQ(model->joint_of_dof(6).name, "by_revolute");
}

}  // namespace
}  // namespace torsor::test
