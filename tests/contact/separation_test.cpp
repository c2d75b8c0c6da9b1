// Tests of separations: every pair of kinds against a search over all directions, closed forms,
// symmetry and invariance.

#include <gtest/gtest.h>

#include <algorithm>

#include "contact/shapes.hpp"

namespace torsor::test {
namespace {

using V3 = Vec3<double>;

struct PairOfKinds {
  ShapeKind a, b;
};
std::vector<PairOfKinds> bounded_pairs() {
  std::vector<PairOfKinds> out;
  for (const ShapeKind a : bounded_kinds)
    for (const ShapeKind b : bounded_kinds) out.push_back({a, b});
  return out;
}

class SeparationOfPair : public testing::TestWithParam<PairOfKinds> {
 protected:
  // Calls f for pairs of shapes that are far apart, near each other and deep in each other.
  template <class F>
  void each_pair(int n, F f) {
    for (int k = 0; k < n; ++k) {
      SCOPED_TRACE(testing::Message()
                   << traits(GetParam().a).name << " " << traits(GetParam().b).name << " " << k);
      const CollisionShape a = random_shape(random_, GetParam().a),
                           b = random_shape(random_, GetParam().b);
      Pose<double> X_a = random_.pose(1), X_b = random_.pose(1);
      X_b.p = X_a.p + random_.uniform(0.05, 1.2) * random_.direction();
      f(placed(a, X_a), placed(b, X_b));
    }
  }

  Random random_{uint64_t(10 * int(GetParam().a) + int(GetParam().b))};
  PairMemory memory_;
};

// The separation along a direction is a lower bound of the signed distance, and the search finds no
// larger one.
TEST_P(SeparationOfPair, IsTheLargestOfAllDirections) {
  each_pair(3, [&](const PlacedShape& a, const PlacedShape& b) {
    const Separation s = separate(memory_, a, b);
    const double searched = searched_separation(a, b);
    EXPECT_GT(s.gap, searched - 1e-9);
    EXPECT_NEAR(s.gap, separation_along(a, b, s.n_W), 1e-9);
    EXPECT_NEAR(norm(s.n_W), 1, 1e-12);
  });
}

TEST_P(SeparationOfPair, IsSymmetric) {
  each_pair(200, [&](const PlacedShape& a, const PlacedShape& b) {
    const Separation s = separate(memory_, a, b), swapped = separate(memory_, b, a);
    EXPECT_NEAR(s.gap, swapped.gap, 1e-8);
  });
}

TEST_P(SeparationOfPair, MovesWithTheShapes) {
  each_pair(200, [&](PlacedShape a, PlacedShape b) {
    const Separation s = separate(memory_, a, b);
    const Pose<double> X = random_.pose(3);
    a.X_WC = X * a.X_WC;
    b.X_WC = X * b.X_WC;
    const Separation moved = separate(memory_, a, b);
    EXPECT_NEAR(s.gap, moved.gap, 1e-8);
    if (s.gap > 0) {
      EXPECT_LT(norm(moved.n_W - X.R * s.n_W), 1e-4);
    }
  });
}

// The distance cannot change by more than a translation. Directions near the apex of a cone are
// less exact.
TEST_P(SeparationOfPair, IsContinuousAcrossTouch) {
  const bool has_cone = GetParam().a == ShapeKind::cone || GetParam().b == ShapeKind::cone;
  const double error = has_cone ? 5e-5 : 1e-8;
  each_pair(20, [&](const PlacedShape& a, PlacedShape b) {
    Separation s = separate(memory_, a, b);
    b.X_WC.p -= (s.gap - 1e-4) * s.n_W;  // near touch
    double last = separate(memory_, a, b).gap;
    const V3 step = -1e-6 * s.n_W;
    for (int k = 0; k < 200; ++k) {
      b.X_WC.p += step;
      const double gap = separate(memory_, a, b).gap;
      EXPECT_LT(std::abs(gap - last), 1e-6 + error);
      last = gap;
    }
  });
}

TEST_P(SeparationOfPair, IsRepeatedExactly) {
  each_pair(20, [&](const PlacedShape& a, const PlacedShape& b) {
    PairMemory other;
    const Separation s = separate(memory_, a, b), again = separate(other, a, b);
    EXPECT_EQ(s.gap, again.gap);
    EXPECT_EQ(s.n_W.x, again.n_W.x);
    EXPECT_EQ(s.p_W.z, again.p_W.z);
  });
}

std::string name_of_pair(const testing::TestParamInfo<PairOfKinds>& info) {
  return std::string(traits(info.param.a).name) + "_" + std::string(traits(info.param.b).name);
}
INSTANTIATE_TEST_SUITE_P(Kinds, SeparationOfPair, testing::ValuesIn(bounded_pairs()), name_of_pair);

// The gap above a plane is the least height of the points of the surface.
TEST(Separation, OfAHalfSpaceIsTheLeastHeight) {
  Random random(3);
  PairMemory memory;
  const CollisionShape ground{ShapeKind::half_space};
  for (const ShapeKind kind : bounded_kinds)
    for (int k = 0; k < 50; ++k) {
      SCOPED_TRACE(traits(kind).name);
      const CollisionShape shape = random_shape(random, kind);
      const PlacedShape plane = placed(ground, random.pose(1)), b = placed(shape, random.pose(1));
      const V3 n{plane.X_WC.R.m[2], plane.X_WC.R.m[5], plane.X_WC.R.m[8]};
      double lowest = HUGE_VAL;
      for (int j = 0; j < 2000; ++j)
        lowest = std::min(lowest, dot(n, b.support(random.direction()) - plane.X_WC.p));
      const Separation s = separate(memory, plane, b);
      EXPECT_LE(s.gap, lowest - b.radius() + 1e-12);
      EXPECT_NEAR(s.gap, lowest - b.radius(), 0.03);
      EXPECT_NEAR(s.gap, dot(n, b.support(-n) - plane.X_WC.p) - b.radius(), 1e-15);
      EXPECT_LT(norm(s.n_W - n), 1e-15);
    }
}

TEST(Separation, OfAxisAlignedBoxesIsKnown) {
  Random random(4);
  PairMemory memory;
  for (int k = 0; k < 500; ++k) {
    const CollisionShape a = random_shape(random, ShapeKind::box),
                         b = random_shape(random, ShapeKind::box);
    const Pose<double> X = random.pose(1);
    const V3 d = random.vector(1.5);
    const Separation s = separate(memory, placed(a, X), placed(b, X * translation(d)));
    const V3 g{std::abs(d.x) - a.size.x - b.size.x, std::abs(d.y) - a.size.y - b.size.y,
               std::abs(d.z) - a.size.z - b.size.z};
    const double largest = std::max({g.x, g.y, g.z});
    const double expected =
        largest <= 0 ? largest
                     : norm(V3{std::max(g.x, 0.0), std::max(g.y, 0.0), std::max(g.z, 0.0)});
    EXPECT_NEAR(s.gap, expected, 1e-9);
  }
}

// Points on the surface of an ellipsoid, moved along the normal, have this distance if they are
// outside.
TEST(Separation, OfASphereAndAnEllipsoidIsKnown) {
  Random random(5);
  PairMemory memory;
  for (int k = 0; k < 500; ++k) {
    const CollisionShape e = random_shape(random, ShapeKind::ellipsoid),
                         ball = random_shape(random, ShapeKind::sphere);
    const Pose<double> X = random.pose(1);
    const V3 u = random.direction(), &R = e.size;
    const V3 p{R.x * u.x, R.y * u.y, R.z * u.z}, g{u.x / R.x, u.y / R.y, u.z / R.z};
    const V3 n = (1 / norm(g)) * g;
    const double gap = random.uniform(-0.9, 1) * ball.size.x;
    const PlacedShape a = placed(e, X),
                      b = placed(ball, X * translation(p + (ball.size.x + gap) * n));
    const Separation s = separate(memory, a, b);
    EXPECT_NEAR(s.gap, gap, 1e-12);
    EXPECT_LT(norm(s.n_W - X.R * n), 1e-9);
    EXPECT_LT(norm(s.p_W - X * (p + 0.5 * gap * n)), 1e-8);
  }
}

// Two ellipsoids that touch at points with opposite normals, moved apart or into each other along
// the normal: the direction remains a maximum of s.
TEST(Separation, OfEllipsoidsIsKnown) {
  Random random(6);
  PairMemory memory;
  for (int k = 0; k < 500; ++k) {
    const CollisionShape e = random_shape(random, ShapeKind::ellipsoid),
                         f = random_shape(random, ShapeKind::ellipsoid);
    const PlacedShape a = placed(e, random.pose(1));
    PlacedShape b = placed(f, random.pose(1));
    const V3 n = random.direction();
    const double gap = std::pow(10, random.uniform(-12, -1)) * (k % 2 ? -0.1 : 1);
    b.X_WC.p = b.X_WC.p + a.support(n) + gap * n - b.support(-n);
    const Separation s = separate(memory, a, b);
    EXPECT_NEAR(s.gap, gap, 1e-12);
    EXPECT_LT(norm(s.n_W - n), 1e-7);
    EXPECT_LT(norm(s.p_W - (a.support(n) + 0.5 * gap * n)), 1e-7);
  }
}

// A box on a box: the direction is the normal of the face, for any gap.
TEST(Separation, OfTouchingPolyhedraIsExact) {
  Random random(7);
  PairMemory memory;
  for (int k = 0; k < 600; ++k) {
    const CollisionShape box = random_shape(random, ShapeKind::box);
    const ShapeKind kinds[] = {ShapeKind::box, ShapeKind::convex, ShapeKind::cylinder,
                               ShapeKind::cone, ShapeKind::ellipsoid};
    const CollisionShape other = random_shape(random, kinds[k % 5]);
    const PlacedShape a = placed(box, random.pose(1));
    PlacedShape b = placed(other, random.pose(1));
    const V3 n = a.X_WC.R * V3{0, 0, 1};
    const double gap = std::pow(10, random.uniform(-14, -2)) * (k % 2 ? -1 : 1);
    // The lowest point of B is above a point of the upper face of A.
    const V3 top = a.X_WC * V3{random.uniform(-0.5, 0.5) * box.size.x,
                               random.uniform(-0.5, 0.5) * box.size.y, box.size.z};
    b.X_WC.p = b.X_WC.p + top + gap * n - b.support(-n);
    const Separation s = separate(memory, a, b);
    SCOPED_TRACE(testing::Message() << traits(other.kind).name << " " << gap);
    // The direction has an error of rounding / gap if GJK finds it, from gaps of 1e-5 on.
    EXPECT_NEAR(s.gap, gap, 2e-11);
    EXPECT_LT(norm(s.n_W - n), 1e-8);
  }
}

}  // namespace
}  // namespace torsor::test
