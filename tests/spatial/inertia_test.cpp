// Tests of spatial inertia against dense 6x6 matrices, and against the point masses of a body.

#include "torsor/spatial/inertia.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "spatial/dense.hpp"
#include "support/agreement.hpp"

namespace torsor::test {
namespace {

constexpr int samples = 50;
constexpr double rounding = 1e-14;  // relative, for sums of products of three factors

struct PointMass {
  double mass;
  Vec3<double> at;
};

std::vector<PointMass> random_masses(Random& random) {
  std::vector<PointMass> out;
  for (int k = 0; k < 6; ++k) out.push_back({random.uniform(0.1, 3), random.vector(1)});
  return out;
}

// Returns the inertia about the origin of frame A of point masses given in frame B.
SpatialInertia<double> body(const std::vector<PointMass>& masses, const Pose<double>& X_AB) {
  SpatialInertia<double> sum = SpatialInertia<double>::zero();
  for (const PointMass& point : masses) {
    const Vec3<double> p = X_AB * point.at;
    const Sym3<double> I = point_inertia(p);
    const double m = point.mass;
    sum = sum + SpatialInertia<double>{
                    m, m * p, {m * I.xx, m * I.yy, m * I.zz, m * I.xy, m * I.xz, m * I.yz}};
  }
  return sum;
}

TEST(SpatialInertia, PointInertiaIsMinusHatSquared) {
  Random random(1);
  for (int k = 0; k < samples; ++k) {
    const Vec3<double> p = random.vector(2);
    const Eigen::Matrix3d P = skew(dense(p));
    EXPECT_LT((dense(point_inertia(p)) + P * P).norm(), rounding);
  }
}

// Compares the momentum with the sum over all points: f = sum m v, n = sum p x m v.
// Equations: KHALIL 7.11, 7.21; MR 9.19, 9.23, 9.25.
TEST(SpatialInertia, MomentumIsThatOfThePoints) {
  Random random(2);
  for (int k = 0; k < samples; ++k) {
    const auto masses = random_masses(random);
    const SpatialInertia<double> M = body(masses, Pose<double>::identity());
    const Twist<double> V{random.vector(2), random.vector(2)};
    Vector6 expected = Vector6::Zero();
    for (const PointMass& point : masses) {
      const Eigen::Vector3d p = dense(point.at), v = dense(V.v) + dense(V.w).cross(p);
      expected.head<3>() += point.mass * p.cross(v);
      expected.tail<3>() += point.mass * v;
    }
    EXPECT_LT((dense(M * V) - expected).norm(), rounding * expected.norm());
    EXPECT_LT((dense(M * V) - dense(M) * dense(V)).norm(), rounding * expected.norm());
  }
}

// Checks M_A = Ad(X_BA)^T M_B Ad(X_BA) as 6x6 matrices.
TEST(SpatialInertia, ChangesFrameByTheAdjoint) {
  Random random(3);
  for (int k = 0; k < samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const SpatialInertia<double> M_B = body(random_masses(random), random.pose(2));
    const Matrix6 to_B = adjoint(X_AB).inverse();
    const Matrix6 expected = to_B.transpose() * dense(M_B) * to_B;
    EXPECT_LT((dense(transform(X_AB, M_B)) - expected).norm(), rounding * expected.norm());
  }
}

TEST(SpatialInertia, ChangesFrameLikeItsPoints) {
  Random random(4);
  for (int k = 0; k < samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const auto masses = random_masses(random);
    const Matrix6 expected = dense(body(masses, X_AB));
    const SpatialInertia<double> M_B = body(masses, Pose<double>::identity());
    EXPECT_LT((dense(transform(X_AB, M_B)) - expected).norm(), rounding * expected.norm());
  }
}

// Checks the change of frame for grouped parameters, which have first moments without mass.
TEST(SpatialInertia, ChangesFrameWithoutMass) {
  Random random(5);
  for (int k = 0; k < samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const SpatialInertia<double> M_B{0, random.vector(1), {1, -2, 3, 0.1, 0.2, -0.3}};
    const Matrix6 to_B = adjoint(X_AB).inverse();
    const Matrix6 expected = to_B.transpose() * dense(M_B) * to_B;
    EXPECT_LT((dense(transform(X_AB, M_B)) - expected).norm(), rounding * expected.norm());
  }
}

TEST(SpatialInertia, KineticEnergyDoesNotDependOnTheFrame) {
  Random random(6);
  for (int k = 0; k < samples; ++k) {
    const Pose<double> X_AB = random.pose(2);
    const SpatialInertia<double> M_B = body(random_masses(random), random.pose(2));
    const Twist<double> V_B{random.vector(2), random.vector(2)}, V_A = transform(X_AB, V_B);
    const double energy = dot(V_B, M_B * V_B);
    // The terms of V_A and M_A are up to p^2 times larger than their sum. The tolerance is scaled
    // accordingly.
    EXPECT_NEAR(dot(V_A, transform(X_AB, M_B) * V_A), energy, 1e-13 * dense(M_B).norm() * 100);
  }
}

TEST(Sym3, RotatesLikeADenseMatrix) {
  Random random(7);
  for (int k = 0; k < samples; ++k) {
    const Mat3<double> R = random.rotation();
    const Sym3<double> A{
        1, 2, 3, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    EXPECT_LT((dense(rotate(R, A)) - dense(R) * dense(A) * dense(R).transpose()).norm(),
              rounding * 4);
    const Vec3<double> u = random.vector(2);
    EXPECT_LT((dense(A * u) - dense(A) * dense(u)).norm(), rounding);
    EXPECT_EQ(trace(A), 6);
    EXPECT_EQ(dense(A + A), 2 * dense(A));
    EXPECT_EQ(dense(A - A), Eigen::Matrix3d::Zero());
  }
}

TEST(SpatialInertia, OfABodyIsPositiveDefinite) {
  Random random(8);
  for (int k = 0; k < samples; ++k) {
    const SpatialInertia<double> M = body(random_masses(random), random.pose(1));
    EXPECT_GT(eigenvalues(dense(M)).minCoeff(), 0);
  }
}

}  // namespace
}  // namespace torsor::test
