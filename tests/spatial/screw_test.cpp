// Tests of poses, twists and wrenches: changes of frame and the Lie bracket, against dense 6x6
// matrices.

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "spatial/dense.hpp"
#include "support/agreement.hpp"

namespace torsor::test {
namespace {

constexpr double screw_rounding = 4e-15;  // for a few products of numbers of size 2
constexpr int screw_samples = 50;

Twist<double> random_twist(Random& random) {
  return {random.vector(2), random.vector(2)};
}
Wrench<double> random_wrench(Random& random) {
  return {random.vector(2), random.vector(2)};
}
// Equations: MK 4.
TEST(Pose, ComposesAndInvertsLikeMatrices) {
  Random random(1);
  for (int k = 0; k < screw_samples; ++k) {
    const Pose<double> X_AB = random.pose(2), X_BC = random.pose(2);
    const Vec3<double> p = random.vector(2);
    EXPECT_LT(max_abs(dense(X_AB * X_BC) - dense(X_AB) * dense(X_BC)), screw_rounding);
    EXPECT_LT(max_abs(dense(inverse(X_AB)) - dense(X_AB).inverse()), screw_rounding);
    EXPECT_LT((dense(X_AB * p) - (dense(X_AB) * dense(p).homogeneous()).head<3>()).norm(),
              screw_rounding);
  }
  EXPECT_EQ(dense(Pose<double>::identity()), Eigen::Matrix4d::Identity());
  EXPECT_EQ(dense(translation<double>({1, 2, 3})).col(3), Eigen::Vector4d(1, 2, 3, 1));
}

// Equations: KHALIL 7.23a; MK 18.
TEST(Twist, ChangesFrameByTheAdjoint) {
  Random random(2);
  for (int k = 0; k < screw_samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const Twist<double> V = random_twist(random);
    EXPECT_LT((dense(transform(X_AB, V)) - adjoint(X_AB) * dense(V)).norm(), 4 * screw_rounding);
    EXPECT_LT((dense(inverse_transform(X_AB, V)) - adjoint(X_AB).inverse() * dense(V)).norm(),
              4 * screw_rounding);
  }
}

// Equations: KHALIL 7.59.
TEST(Wrench, ChangesFrameByTheTransposedAdjoint) {
  Random random(3);
  for (int k = 0; k < screw_samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const Wrench<double> F = random_wrench(random);
    const Matrix6 to_A = adjoint(X_AB).inverse().transpose();
    EXPECT_LT((dense(transform(X_AB, F)) - to_A * dense(F)).norm(), 4 * screw_rounding);
    EXPECT_LT((dense(inverse_transform(X_AB, F)) - adjoint(X_AB).transpose() * dense(F)).norm(),
              4 * screw_rounding);
  }
}

// Checks Ad(X_AB) Ad(X_BC) = Ad(X_AC).
TEST(Adjoint, IsAHomomorphism) {
  Random random(4);
  for (int k = 0; k < screw_samples; ++k) {
    const Pose<double> X_AB = random.pose(2), X_BC = random.pose(2);
    const Twist<double> V = random_twist(random);
    const Wrench<double> F = random_wrench(random);
    EXPECT_LT(max_abs(dense(transform(X_AB, transform(X_BC, V)) - transform(X_AB * X_BC, V))),
              8 * screw_rounding);
    EXPECT_LT(max_abs(dense(transform(X_AB, transform(X_BC, F)) - transform(X_AB * X_BC, F))),
              8 * screw_rounding);
  }
}

// Checks X exp(V) X^-1 = exp(Ad(X) V) for every sample twist.
TEST(Adjoint, ConjugatesTheExponential) {
  Random random(5);
  for (const Twist<double>& V : sample_twists()) {
    const Pose<double> X = random.pose(1);
    const Pose<double> conjugated = X * exp_se3(V) * inverse(X);
    EXPECT_LT(max_abs(dense(conjugated) - dense(exp_se3(transform(X, V)))), 4 * screw_rounding)
        << text(V);
  }
}

TEST(Power, DoesNotDependOnTheFrame) {
  Random random(6);
  for (int k = 0; k < screw_samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const Twist<double> V = random_twist(random);
    const Wrench<double> F = random_wrench(random);
    EXPECT_NEAR(dot(V, F), dense(V).dot(dense(F)), screw_rounding);
    EXPECT_NEAR(dot(transform(X_AB, V), transform(X_AB, F)), dot(V, F), 16 * screw_rounding);
    EXPECT_NEAR(dot(inverse_transform(X_AB, V), inverse_transform(X_AB, F)), dot(V, F),
                16 * screw_rounding);
  }
}

// Compares ad_V U with central differences of Ad(exp(t V)) U at t = 0. Their error is of second
// order.
// Equations: MR 9.28, 9.30; MK 21.
TEST(Bracket, IsTheDerivativeOfTheAdjoint) {
  Random random(7);
  for (int k = 0; k < screw_samples; ++k) {
    const Twist<double> V = random_twist(random), U = random_twist(random);
    const auto error = [&](double h) {
      const Twist<double> change = transform(exp_se3(h * V), U) - transform(exp_se3(-h * V), U);
      return dense(1 / (2 * h) * change - ad(V, U)).norm();
    };
    EXPECT_LT(error(1e-3), 1e-4);
    EXPECT_NEAR(observed_order(error(1e-2), error(5e-3)), 2, 0.01);
  }
}

TEST(Bracket, ObeysTheJacobiIdentity) {
  Random random(8);
  for (int k = 0; k < screw_samples; ++k) {
    const Twist<double> A = random_twist(random), B = random_twist(random),
                        C = random_twist(random);
    EXPECT_LT(max_abs(dense(ad(A, ad(B, C)) + ad(B, ad(C, A)) + ad(C, ad(A, B)))),
              16 * screw_rounding);
    EXPECT_EQ(dense(ad(A, B)), -dense(ad(B, A)));
  }
}

// Checks Ad [V, U] = [Ad V, Ad U].
TEST(Bracket, CommutesWithTheAdjoint) {
  Random random(9);
  for (int k = 0; k < screw_samples; ++k) {
    const Pose<double> X = random.pose(2);
    const Twist<double> V = random_twist(random), U = random_twist(random);
    EXPECT_LT(max_abs(dense(transform(X, ad(V, U)) - ad(transform(X, V), transform(X, U)))),
              32 * screw_rounding);
  }
}

// Equations: MR 9.26, 9.31.
TEST(Bracket, TransposeIsItsDual) {
  Random random(10);
  for (int k = 0; k < screw_samples; ++k) {
    const Twist<double> V = random_twist(random), U = random_twist(random);
    const Wrench<double> F = random_wrench(random);
    EXPECT_NEAR(dot(U, ad_transpose(V, F)), dot(ad(V, U), F), 16 * screw_rounding);
  }
}

TEST(SixVectors, AddAndScaleByEntries) {
  Random random(11);
  const Twist<double> V = random_twist(random), U = random_twist(random);
  const Wrench<double> F = random_wrench(random), G = random_wrench(random);
  EXPECT_EQ(dense(V + U), dense(V) + dense(U));
  EXPECT_EQ(dense(V - U), dense(V) - dense(U));
  EXPECT_EQ(dense(2.0 * V), 2 * dense(V));
  EXPECT_EQ(dense(F + G), dense(F) + dense(G));
  EXPECT_EQ(dense(F - G), dense(F) - dense(G));
  EXPECT_EQ(dense(2.0 * F), 2 * dense(F));
}

TEST(Mat3, ProductsEqualDenseOnes) {
  Random random(12);
  for (int k = 0; k < screw_samples; ++k) {
    const Mat3<double> A = random.rotation(), B = hat(random.vector(2));
    const Vec3<double> u = random.vector(2), w = random.vector(2);
    EXPECT_LT(max_abs(dense(A * B) - dense(A) * dense(B)), screw_rounding);
    EXPECT_EQ(dense(A + B), dense(A) + dense(B));
    EXPECT_LT((dense(transpose_times(A, u)) - dense(A).transpose() * dense(u)).norm(),
              screw_rounding);
    EXPECT_EQ(dense(transpose(A)), dense(A).transpose());
    EXPECT_LT((dense(cross(u, w)) - dense(u).cross(dense(w))).norm(), screw_rounding);
    EXPECT_LT((dense(hat(u) * w) - dense(u).cross(dense(w))).norm(), screw_rounding);
  }
}

}  // namespace
}  // namespace torsor::test
