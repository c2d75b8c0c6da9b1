// Tests of convex hulls: against the definition, and against shapes whose faces are known.

#include "torsor/shapes/convex_hull.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/error_of.hpp"
#include "torsor/base/random.hpp"
#include "torsor/shapes/collision_shape.hpp"

namespace torsor {
namespace {

std::vector<Vec3<double>> random_points(Random& random, int n, const Vec3<double>& scale) {
  std::vector<Vec3<double>> out;
  for (int k = 0; k < n; ++k) {
    const Vec3<double> p = random.vector(1);
    out.push_back({scale.x * p.x, scale.y * p.y, scale.z * p.z});
  }
  return out;
}

// Checks that all points are below all faces. If no faces were merged that are only nearly flat,
// also checks that each edge has two faces in opposite directions, and Euler's formula.
void expect_hull(const ConvexHull& hull, const std::vector<Vec3<double>>& points,
                 bool is_exact = true) {
  Vec3<double> size{0, 0, 0};
  for (const Vec3<double>& p : points)
    size = {std::max(size.x, std::abs(p.x)), std::max(size.y, std::abs(p.y)),
            std::max(size.z, std::abs(p.z))};
  const double tolerance = 2e-6 * 2 * norm(size);
  std::set<std::pair<uint32_t, uint32_t>> edges;
  for (size_t f = 0; f < hull.n_face(); ++f) {
    const auto corners = hull.face(f);
    ASSERT_GE(corners.size(), 3u);
    EXPECT_NEAR(norm(hull.normals[f]), 1, 1e-12);
    const Vec3<double>& a = hull.vertices[corners[0]];
    for (const Vec3<double>& p : points) EXPECT_LE(dot(hull.normals[f], p - a), tolerance);
    Vec3<double> area{0, 0, 0};
    for (size_t k = 0; k < corners.size(); ++k) {
      const uint32_t from = corners[k], to = corners[(k + 1) % corners.size()];
      EXPECT_TRUE(edges.emplace(from, to).second);
      area += cross(hull.vertices[from] - a, hull.vertices[to] - a);
    }
    EXPECT_GT(dot(area, hull.normals[f]), 0);  // counter-clockwise
  }
  if (!is_exact) return;
  for (const auto& [from, to] : edges) EXPECT_TRUE(edges.contains({to, from}));
  EXPECT_EQ(hull.vertices.size() + hull.n_face(), edges.size() / 2 + 2);
}

TEST(ConvexHull, ContainsRandomPoints) {
  Random random(1);
  for (const int n : {4, 5, 8, 30, 300, 3000})
    for (const Vec3<double>& scale : {Vec3<double>{1, 1, 1}, {100, 1, 0.01}}) {
      SCOPED_TRACE(n);
      const auto points = random_points(random, n, scale);
      expect_hull(convex_hull(points), points, scale.z == 1);
    }
}

TEST(ConvexHull, MergesFacesOfABox) {
  std::vector<Vec3<double>> points;
  Random random(2);
  const Pose<double> X = random.pose(1);
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 4; ++j)
      for (int k = 0; k <= 4; ++k) points.push_back(X * Vec3<double>{i / 4.0, j / 2.0, double(k)});
  const ConvexHull hull = convex_hull(points);
  expect_hull(hull, points);
  EXPECT_EQ(hull.vertices.size(), 8u);
  EXPECT_EQ(hull.n_face(), 6u);
  for (size_t f = 0; f < hull.n_face(); ++f) EXPECT_EQ(hull.face(f).size(), 4u);
}

TEST(ConvexHull, MergesFacesInSinglePrecision) {
  std::vector<Vec3<double>> points;
  Random random(3);
  const Pose<double> X = random.pose(1);
  constexpr int n = 12;  // a prism with n sides
  for (int k = 0; k < n; ++k)
    for (const double z : {-0.3, 0.3}) {
      const Vec3<double> p =
          X * Vec3<double>{std::cos(2 * M_PI * k / n), std::sin(2 * M_PI * k / n), z};
      points.push_back({float(p.x), float(p.y), float(p.z)});
    }
  const ConvexHull hull = convex_hull(points);
  expect_hull(hull, points);
  EXPECT_EQ(hull.vertices.size(), size_t(2 * n));
  EXPECT_EQ(hull.n_face(), size_t(n + 2));
}

TEST(ConvexHull, HasAllPointsOfASphere) {
  std::vector<Vec3<double>> points;
  Random random(4);
  for (int k = 0; k < 2000; ++k) points.push_back(random.direction());
  expect_hull(convex_hull(points), points);
  EXPECT_EQ(convex_hull(points).vertices.size(), points.size());
}

TEST(ConvexHull, RejectsPointsWithoutVolume) {
  const auto error = [](const std::vector<Vec3<double>>& points) {
    return test::error_of([&] { (void)convex_hull(points); });
  };
  EXPECT_EQ(error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}),
            "a convex hull needs four points, and there are 3");
  EXPECT_EQ(error({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}}),
            "all points are the same, so the hull is a point");
  EXPECT_EQ(error({{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}}), "all points are on a line");
  EXPECT_EQ(error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 1e-9}}),
            "all points are in a plane, so the hull has no volume");
  EXPECT_EQ(error({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {NAN, 1, 1}}),
            "the point (nan, 1, 1) is not finite");
}

TEST(CollisionShape, RejectsImpossibleSizes) {
  const auto why = [](const CollisionShape& shape) { return defect(shape).value_or(""); };
  EXPECT_EQ(why(collision_shape(Sphere{1})), "");
  EXPECT_EQ(why({ShapeKind::half_space}), "");
  EXPECT_EQ(why(collision_shape(Box{{1, 0, 1}})),
            "the size in y of the box is 0 m; it must be positive and finite");
  EXPECT_EQ(why(collision_shape(Capsule{1, INFINITY})),
            "the length of the capsule is inf m; it must be positive and finite");
  EXPECT_EQ(why(collision_shape(Cone{-1, 1})),
            "the radius of the cone is -1 m; it must be positive and finite");
  EXPECT_EQ(why({ShapeKind::convex}), "the convex shape has no points");
  EXPECT_EQ(why({ShapeKind::height_field}), "the height field has no heights");
  const auto field = [&](HeightField f) {
    return why({ShapeKind::height_field, {}, nullptr, std::make_shared<const HeightField>(f)});
  };
  EXPECT_EQ(field({2, 2, 1, 1, {0, 0, 0, 0}}), "");
  EXPECT_EQ(field({1, 2, 1, 1, {0, 0}}),
            "the height field has 1 x 2 heights; it needs 2 x 2 at least");
  EXPECT_EQ(field({2, 2, 0, 1, {0, 0, 0, 0}}),
            "the spacing of the height field is 0 m; it must be positive and finite");
  EXPECT_EQ(field({2, 2, 1, 1, {0, 0, NAN, 0}}),
            "a height of the height field is nan; it must be finite");
}

}  // namespace
}  // namespace torsor
