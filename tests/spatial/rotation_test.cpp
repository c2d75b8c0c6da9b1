// Tests of SO(3) and SE(3): exponential, logarithm, quaternions, and the rotation from z to a
// direction.

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <limits>

#include "spatial/dense.hpp"
#include "support/log_se3.hpp"
#include "torsor/spatial/dual.hpp"

namespace torsor::test {
namespace {

// The tolerance is a few roundings of numbers of size 1 to 4. Linear parts have size 2.
constexpr double rotation_rounding = 2e-15;

double rotation_defect(const Mat3<double>& R) {
  const Eigen::Matrix3d D = dense(R);
  return std::max(max_abs(D.transpose() * D - Eigen::Matrix3d::Identity()),
                  std::abs(D.determinant() - 1));
}

// Equations: MK 10, 13, 14.
TEST(ExpSe3, EqualsTheMatrixExponential) {
  for (const Twist<double>& V : sample_twists()) {
    const Eigen::Matrix4d expected = long_exp(V).cast<double>();
    EXPECT_LT(max_abs(dense(exp_se3(V)) - expected), rotation_rounding) << text(V);
    EXPECT_LT(max_abs(dense(exp_so3(V.w)) - expected.topLeftCorner<3, 3>()), rotation_rounding)
        << text(V);
  }
}

// Checks the product of quaternions and the quaternion of a rotation vector against matrices, and
// that the rotation vector of q and of -q is that of the shorter turn.
TEST(Quaternions, AreTheRotationsOfTheirVectors) {
  for (const Vec3<double>& u : {Vec3<double>{0.3, -0.7, 1.1}, {2.1, 0.4, -1.9}, {0, 0, 3}}) {
    const Vec3<double> w{-0.8, 0.2, 0.5};
    const Quaternion p = exp_quaternion(u), q = exp_quaternion(w);
    EXPECT_LT(max_abs(dense(rotation(p)) - dense(exp_so3(u))), rotation_rounding);
    EXPECT_LT(max_abs(dense(rotation(p * q)) - dense(exp_so3(u)) * dense(exp_so3(w))),
              2 * rotation_rounding);
    for (const double sign : {1.0, -1.0}) {
      const Vec3<double> back = rotation_vector({sign * p.w, sign * p.x, sign * p.y, sign * p.z});
      EXPECT_LT(norm(back - u), 4 * rotation_rounding) << sign;
    }
  }
}

TEST(Dual, ProductHasTheRateOfBothFactors) {
  const Dual product = Dual(3, 0.5) * Dual(-2, 7);
  EXPECT_EQ(product.value, -6);
  EXPECT_EQ(product.rate, 0.5 * -2 + 3 * 7);
}

// Checks the relative accuracy of small entries: those of a rotation by 1e-8 are accurate to all
// digits.
TEST(ExpSo3, KeepsTheDigitsOfSmallAngles) {
  for (const double angle : {1e-200, 1e-12, 1e-8, 1e-4}) {
    const Mat3<double> R = exp_so3({angle, 0, 0});
    EXPECT_NEAR(R(2, 1), std::sin(angle), 4e-16 * angle) << angle;
    EXPECT_EQ(R(1, 2), -R(2, 1)) << angle;
  }
}

TEST(ExpSo3, IsARotation) {
  for (const Twist<double>& V : sample_twists())
    EXPECT_LT(rotation_defect(exp_so3(V.w)), rotation_rounding) << text(V);
}

TEST(ExpSe3, OneParameterSubgroup) {
  for (const Twist<double>& V : sample_twists()) {
    const Pose<double> split = exp_se3(0.3 * V) * exp_se3(0.7 * V);
    EXPECT_LT(max_abs(dense(split) - dense(exp_se3(V))), rotation_rounding) << text(V);
    const Pose<double> back = exp_se3(V) * exp_se3(-1.0 * V);
    EXPECT_LT(max_abs(dense(back) - Eigen::Matrix4d::Identity()), rotation_rounding) << text(V);
  }
}

// Checks that log inverts exp, relative to the size of the vector. Angles near pi are excluded,
// because there two vectors describe almost the same rotation.
// Equations: KHALIL 8.51.
TEST(LogSo3, UndoesExp) {
  for (const Twist<double>& V : sample_twists()) {
    const double angle = norm(V.w);
    if (angle > 3.1415) continue;
    const Vec3<double> u = log_so3(exp_so3(V.w));
    EXPECT_LT(norm(u - V.w), 4e-15 * std::max(angle, 1e-300)) << text(V);
  }
}

TEST(LogSo3, ReproducesTheRotationNearPi) {
  for (const Vec3<double>& e : sample_directions())
    for (const double angle : {3.1415, 3.14159, M_PI - 1e-8, M_PI, M_PI + 1e-8, 4.0, 6.28}) {
      const Mat3<double> R = exp_so3(angle * e);
      const Vec3<double> u = log_so3(R);
      EXPECT_LE(norm(u), M_PI * (1 + 1e-15));
      EXPECT_LT(max_abs(dense(exp_so3(u)) - dense(R)), 2 * rotation_rounding)
          << angle << " about " << dense(e).transpose();
    }
}

// Checks rotations by exactly pi: the matrix 2 e e^T - 1 has the axis e, up to sign.
TEST(LogSo3, TurnByPi) {
  for (const Vec3<double>& e : sample_directions()) {
    const Eigen::Vector3d d = dense(e);
    const Eigen::Matrix3d turn = 2 * d * d.transpose() - Eigen::Matrix3d::Identity();
    Mat3<double> R{};
    for (int k = 0; k < 9; ++k) R.m[k] = turn(k / 3, k % 3);
    const Eigen::Vector3d u = dense(log_so3(R));
    EXPECT_NEAR(u.norm(), M_PI, rotation_rounding);
    EXPECT_LT(u.cross(d).norm(), 4 * rotation_rounding) << d.transpose();
  }
}

TEST(LogSe3, UndoesExp) {
  for (const Twist<double>& V : sample_twists()) {
    if (norm(V.w) > 3.1415) continue;
    const Twist<double> U = log_se3(exp_se3(V));
    EXPECT_LT(norm(U.w - V.w), 4e-15 * std::max(norm(V.w), 1e-300)) << text(V);
    EXPECT_LT(norm(U.v - V.v), 4 * rotation_rounding) << text(V);
  }
}

TEST(LogSe3, ReproducesThePoseNearPi) {
  for (const Twist<double>& V : sample_twists()) {
    const Pose<double> X = exp_se3(V);
    EXPECT_LT(max_abs(dense(exp_se3(log_se3(X))) - dense(X)), 8 * rotation_rounding) << text(V);
  }
}

TEST(Quaternion, HalvesTheAngle) {
  for (const Vec3<double>& e : sample_directions())
    for (const double angle : sample_angles()) {
      const Quaternion q = quaternion(exp_so3(angle * e));
      const double s = std::sin(angle / 2);
      // At the angle pi, the sign is arbitrary.
      const Eigen::Vector4d actual{q.w, q.x, q.y, q.z},
          expected{std::cos(angle / 2), s * e.x, s * e.y, s * e.z};
      const double sign = angle > 3.14 && actual.dot(expected) < 0 ? -1 : 1;
      EXPECT_LT((sign * actual - expected).cwiseAbs().maxCoeff(), rotation_rounding)
          << angle << dense(e).transpose();
      EXPECT_GE(q.w, 0);
      EXPECT_NEAR(actual.norm(), 1, rotation_rounding);
    }
}

TEST(Quaternion, UndoneByRotation) {
  for (const Twist<double>& V : sample_twists()) {
    const Mat3<double> R = exp_so3(V.w);
    EXPECT_LT(max_abs(dense(rotation(quaternion(R))) - dense(R)), rotation_rounding) << text(V);
  }
}

// Checks that rotation() does not depend on the norm of the quaternion, against Eigen's rotation of
// the normalised quaternion.
TEST(Quaternion, RotationOfAnyLength) {
  Random random(17);
  for (int k = 0; k < 50; ++k) {
    const double length = std::pow(10, random.uniform(-3, 3));
    const Quaternion q{random.uniform(-length, length), random.uniform(-length, length),
                       random.uniform(-length, length), random.uniform(-length, length)};
    const Eigen::Matrix3d expected =
        Eigen::Quaterniond(q.w, q.x, q.y, q.z).normalized().toRotationMatrix();
    EXPECT_LT(max_abs(dense(rotation(q)) - expected), rotation_rounding);
  }
}

TEST(RotationZTo, TakesZToTheDirection) {
  for (const Vec3<double>& e : sample_directions()) {
    const Mat3<double> R = rotation_z_to(e);
    const Vec3<double> image = R * Vec3<double>{0, 0, 1};
    EXPECT_LT(norm(image - e), 4e-16) << dense(e).transpose();
    EXPECT_LT(rotation_defect(R), rotation_rounding) << dense(e).transpose();
  }
}

TEST(RotationZTo, ExactAlongZ) {
  EXPECT_EQ(dense(rotation_z_to({0, 0, 1})), Eigen::Matrix3d::Identity());
  EXPECT_EQ(dense(rotation_z_to({0, 0, -1})),
            Eigen::Matrix3d(Eigen::Vector3d(1, -1, -1).asDiagonal()));
}

TEST(RotationXyz, AreExponentialsOfTheAxes) {
  for (const double angle : {0.0, 1e-8, 0.7, -2.5, M_PI, 7.0}) {
    EXPECT_LT(max_abs(dense(rotation_x(angle).R) - dense(exp_so3({angle, 0, 0}))),
              rotation_rounding);
    EXPECT_LT(max_abs(dense(rotation_y(angle).R) - dense(exp_so3({0, angle, 0}))),
              rotation_rounding);
    EXPECT_LT(max_abs(dense(rotation_z(angle).R) - dense(exp_so3({0, 0, angle}))),
              rotation_rounding);
    for (const Pose<double>& X : {rotation_x(angle), rotation_y(angle), rotation_z(angle)})
      EXPECT_EQ(norm(X.p), 0);
  }
}

}  // namespace
}  // namespace torsor::test
