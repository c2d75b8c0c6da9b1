// Tests of contacts with height fields, against half spaces and against all triangles.

#include <gtest/gtest.h>

#include <algorithm>

#include "contact/shapes.hpp"

namespace torsor::test {
namespace {

using V3 = Vec3<double>;

CollisionShape field_of(int n, double spacing, double (*height)(double, double)) {
  HeightField field{n, n, spacing, spacing, {}};
  field.heights.resize(size_t(n * n));
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const V3 p = field.node(i, j);
      field.heights[size_t(i + n * j)] = height(p.x, p.y);
    }
  return {ShapeKind::height_field, {}, nullptr, std::make_shared<const HeightField>(field)};
}

// A flat field is a half space, for every kind and any slope.
TEST(HeightFields, ThatAreFlatAreHalfSpaces) {
  Random random(21);
  const CollisionShape field =
      field_of(41, 0.1, [](double x, double y) { return 0.2 * x - 0.1 * y; });
  const CollisionShape plane{ShapeKind::half_space};
  const V3 n = (1 / norm(V3{-0.2, 0.1, 1})) * V3{-0.2, 0.1, 1};
  PairMemory memory;
  for (const ShapeKind kind : bounded_kinds)
    for (int k = 0; k < 30; ++k) {
      SCOPED_TRACE(traits(kind).name);
      const CollisionShape shape = random_shape(random, kind);
      const Pose<double> X = random.pose(1);
      const PlacedShape b = placed(field, X),
                        half_space = placed(plane, X * Pose<double>{rotation_z_to(n), {0, 0, 0}});
      PlacedShape a = placed(shape, random.pose(0.3));
      a.X_WC = X * a.X_WC;
      const V3 up = X.R * n;
      a.X_WC.p += (random.uniform(-0.02, 0.02) - separate(memory, half_space, a).gap) * up;
      const Separation expected = separate(memory, half_space, a), found = separate(memory, b, a);
      EXPECT_NEAR(found.gap, expected.gap, 1e-9);
      EXPECT_LT(norm(found.n_W - up), 1e-8);
      Contact on_plane, on_field;
      find_contact(memory, half_space, a, 0.03, on_plane);
      find_contact(memory, b, a, 0.03, on_field);
      ASSERT_EQ(on_field.count, on_plane.count);
      for (int i = 0; i < on_field.count; ++i) {
        EXPECT_LT(norm(on_field.points[size_t(i)].n_W - up), 1e-8);
        const ContactPoint& point = on_field.points[size_t(i)];
        EXPECT_NEAR(dot(up, point.p_W - X.p), point.gap / 2, 1e-9);
        EXPECT_NEAR(point.gap, on_plane.points[size_t(i)].gap, i == 0 ? 1e-9 : 0.03);
      }
    }
}

// The distance of a sphere from the surface, from a dense set of points of it.
TEST(HeightFields, HaveTheDistanceOfTheNearestPoint) {
  Random random(22);
  PairMemory memory;
  for (int k = 0; k < 20; ++k) {
    const CollisionShape shape = random_shape(random, ShapeKind::height_field);
    const HeightField& field = *shape.field;
    const CollisionShape ball = collision_shape(Sphere{0.05});
    const V3 center{random.uniform(-0.6, 0.6), random.uniform(-0.6, 0.6), random.uniform(0.2, 0.4)};
    double nearest = HUGE_VAL;
    constexpr int n = 40;
    for (int j = 0; j + 1 < field.n_y; ++j)
      for (int i = 0; i + 1 < field.n_x; ++i)
        for (int u = 0; u <= n; ++u)
          for (int v = 0; v <= n; ++v) {
            const double s = double(u) / n, t = double(v) / n;
            const V3 a = field.node(i, j), d = field.node(i + 1, j + 1);
            const V3 other = s > t ? field.node(i + 1, j) : field.node(i, j + 1);
            const double along = std::min(s, t), across = std::abs(s - t);
            nearest = std::min(nearest, norm(a + along * (d - a) + across * (other - a) - center));
          }
    const Pose<double> X = random.pose(1);
    const Separation found =
        separate(memory, placed(ball, X * translation(center)), placed(shape, X));
    EXPECT_LE(found.gap, nearest - 0.05 + 1e-9);
    EXPECT_GT(found.gap, nearest - 0.05 - 5e-3);
  }
}

// A box on a ridge touches it with the normal of its face. A ball that rolls down a flat slope
// meets no edge.
TEST(HeightFields, HoldABoxOnARidge) {
  const CollisionShape ridge = field_of(21, 0.1, [](double x, double) { return -std::abs(x); });
  const CollisionShape box = collision_shape(Box{{0.5, 0.5, 0.2}});
  PairMemory memory;
  for (const double gap : {-1e-3, 1e-3}) {
    Contact contact;
    find_contact(memory, placed(box, translation<double>({0.03, 0.02, 0.1 + gap})),
                 placed(ridge, Pose<double>::identity()), 0.01, contact);
    ASSERT_GE(contact.count, 2);
    double low = 1, high = -1;
    for (const ContactPoint& point : contact.list()) {
      EXPECT_NEAR(point.gap, gap, 1e-9);
      EXPECT_NEAR(point.p_W.x, 0, 1e-6);
      EXPECT_LT(norm(point.n_W - V3{0, 0, -1}), 1e-8);
      low = std::min(low, point.p_W.y);
      high = std::max(high, point.p_W.y);
    }
    EXPECT_GT(high - low, 0.3);
  }
}

TEST(HeightFields, DoNotTripABall) {
  const CollisionShape slope =
      field_of(21, 0.1, [](double x, double y) { return 0.1 * x + 0.2 * y; });
  const CollisionShape ball = collision_shape(Sphere{0.15});
  const V3 n = (1 / norm(V3{-0.1, -0.2, 1})) * V3{-0.1, -0.2, 1};
  PairMemory memory;
  for (int k = -500; k < 500; ++k) {
    const double x = 1e-3 * k, y = 7e-4 * k;
    Contact contact;
    find_contact(memory, placed(ball, translation(V3{x, y, 0.1 * x + 0.2 * y} + 0.149 * n)),
                 placed(slope, Pose<double>::identity()), 0, contact);
    ASSERT_EQ(contact.count, 1);
    EXPECT_NEAR(contact.points[0].gap, -1e-3, 1e-12);
    EXPECT_LT(norm(contact.points[0].n_W + n), 1e-12);
  }
}

}  // namespace
}  // namespace torsor::test
