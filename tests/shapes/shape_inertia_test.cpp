// Tests of inertias from shapes: closed forms against meshes of the same shapes, laws of meshes,
// and messages about meshes that enclose no volume.

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "support/error_of.hpp"
#include "torsor/base/random.hpp"
#include "torsor/shapes/shape_inertia.hpp"

namespace torsor {
namespace {

using std::numbers::pi;
using test::error_of;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<double> numbers(const SpatialInertia<double>& M) {
  return {M.m, M.h.x, M.h.y, M.h.z, M.I.xx, M.I.yy, M.I.zz, M.I.xy, M.I.xz, M.I.yz};
}
void expect_equal(const SpatialInertia<double>& a, const SpatialInertia<double>& b,
                  double tolerance) {
  const std::vector<double> x = numbers(a), y = numbers(b);
  const double scale = a.m + a.I.xx + a.I.yy + a.I.zz;
  for (size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(x[k], y[k], tolerance * scale) << k;
}
// Returns the largest difference of two inertias, relative to their size.
double difference(const SpatialInertia<double>& a, const SpatialInertia<double>& b) {
  const std::vector<double> x = numbers(a), y = numbers(b);
  double largest = 0;
  for (size_t k = 0; k < x.size(); ++k) largest = std::max(largest, std::abs(x[k] - y[k]));
  return largest / (a.m + a.I.xx + a.I.yy + a.I.zz);
}

Triangles box_mesh(const Vec3<double>& size) {
  Triangles out;
  for (int k = 0; k < 8; ++k)
    out.vertices.push_back({(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y,
                            (k & 4 ? 0.5 : -0.5) * size.z});
  out.corners = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                 {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return out;
}

// Returns the surface on which a point (r(t), z(t)), 0 <= t <= 1, turns about z. r(0) = r(1) = 0.
// The radii along x and y are scaled.
Triangles turned(int n, const std::function<std::pair<double, double>(double)>& outline,
                 double scale_x = 1, double scale_y = 1) {
  Triangles out;
  for (int i = 0; i <= n; ++i)
    for (int k = 0; k < n; ++k) {
      const auto [r, z] = outline(double(i) / n);
      const bool pole = i == 0 || i == n;
      const double angle = 2 * pi * k / n, radius = pole ? 0 : r;
      out.vertices.push_back(
          {scale_x * radius * std::cos(angle), scale_y * radius * std::sin(angle), z});
    }
  const auto at = [n](int i, int k) { return uint32_t(i * n + k % n); };
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < n; ++k) {
      out.corners.push_back({at(i, k), at(i, k + 1), at(i + 1, k)});
      out.corners.push_back({at(i, k + 1), at(i + 1, k + 1), at(i + 1, k)});
    }
  return out;
}

// The error of a mesh with n sides is of order 1/n^2.
void expect_limit(const Shape& shape, const std::function<Triangles(int)>& mesh) {
  const SpatialInertia<double> exact = inertia_of(shape, 700);
  EXPECT_NEAR(exact.m, 700 * volume(shape), 1e-12 * exact.m);
  double error[2];
  for (const int k : {0, 1}) error[k] = difference(exact, inertia_of(mesh(24 << k), 700));
  EXPECT_LT(error[1], 0.01);
  EXPECT_NEAR(error[0] / error[1], 4, 0.3);
}

TEST(ShapeInertia, OfABoxIsThatOfItsMesh) {
  const Vec3<double> size{0.3, 0.5, 1.1};
  expect_equal(inertia_of(Box{size}, 2700), inertia_of(box_mesh(size), 2700), 1e-15);
}

TEST(ShapeInertia, OfRoundShapesIsTheLimitOfMeshes) {
  // An outline with corners: t = 0.25 and 0.75 are multiples of 1/n.
  const auto piecewise = [](std::vector<std::pair<double, double>> corners) {
    return [corners](double t) {
      const double s = t * double(corners.size() - 1);
      const size_t k = std::min(size_t(s), corners.size() - 2);
      const double f = s - double(k);
      return std::pair((1 - f) * corners[k].first + f * corners[k + 1].first,
                       (1 - f) * corners[k].second + f * corners[k + 1].second);
    };
  };
  expect_limit(Cylinder{0.4, 1.5}, [&](int n) {
    return turned(n, piecewise({{0, -0.75}, {0.4, -0.75}, {0.4, 0.75}, {0, 0.75}}));
  });
  expect_limit(Cone{0.4, 1.5}, [&](int n) {
    return turned(n, piecewise({{0, -0.75}, {0.4, -0.75}, {0, 0.75}}));
  });
  const auto ball = [](double t) {
    return std::pair(0.6 * std::sin(pi * t), -0.6 * std::cos(pi * t));
  };
  expect_limit(Sphere{0.6}, [&](int n) { return turned(n, ball); });
  expect_limit(Ellipsoid{{0.3, 1.2, 0.6}}, [&](int n) { return turned(n, ball, 0.5, 2); });
  expect_limit(Capsule{0.4, 1.5}, [&](int n) {
    return turned(n, [](double t) {
      const double end = std::min(t, 1 - t);  // the sides are the middle third
      if (end > 1.0 / 3) return std::pair(0.4, 0.75 * (6 * t - 3));
      const double angle = 1.5 * pi * end, z = 0.75 + 0.4 * std::cos(angle);
      return std::pair(0.4 * std::sin(angle), t < 0.5 ? -z : z);
    });
  });
}

// The inertia of a regular tetrahedron of edge a about its centre is m a^2 / 20.
// Equations: KHALIL 7.3; JIN 33.
TEST(MeshInertia, OfARegularTetrahedron) {
  const double s = 0.35;  // half the edge of the cube around it
  const Triangles mesh{{{s, s, s}, {s, -s, -s}, {-s, s, -s}, {-s, -s, s}},
                       {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}}};
  const SpatialInertia<double> M = inertia_of(mesh, 900);
  const double a2 = 8 * s * s, mass = 900 * 8 * s * s * s / 3, I = mass * a2 / 20;
  expect_equal(M, {mass, {0, 0, 0}, {I, I, I, 0, 0, 0}}, 1e-15);
}

TEST(MeshInertia, MovesWithTheMesh) {
  Random random(3);
  for (int k = 0; k < 20; ++k) {
    const double x = random.uniform(0.1, 1), y = random.uniform(0.1, 1), z = random.uniform(0.1, 1);
    const Vec3<double> size{x, y, z};
    const Pose<double> X = random.pose(5);
    Triangles moved = box_mesh(size);
    for (Vec3<double>& p : moved.vertices) p = X * p;
    expect_equal(inertia_of(moved, 1000), transform(X, inertia_of(Box{size}, 1000)), 1e-13);
  }
}

TEST(MeshInertia, AcceptsRepeatedVerticesAndEitherOrientation) {
  const Triangles box = box_mesh({1, 2, 3});
  Triangles apart, inside_out = box;
  for (const auto& triangle : box.corners) {
    const uint32_t first = uint32_t(apart.vertices.size());
    for (const uint32_t k : triangle) apart.vertices.push_back(box.vertices[k]);
    apart.corners.push_back({first, first + 1, first + 2});
  }
  for (auto& [a, b, c] : inside_out.corners) std::swap(b, c);
  const SpatialInertia<double> expected = inertia_of(Box{{1, 2, 3}}, 1);
  expect_equal(inertia_of(apart, 1), expected, 1e-15);
  expect_equal(inertia_of(inside_out, 1), expected, 1e-15);
}

// Returns a cube of edge 2 m, and an inverted cube of edge 1 m at x.
Triangles cube_with_inverted_part(double x) {
  Triangles out = box_mesh({2, 2, 2});
  const Triangles part = box_mesh({1, 1, 1});
  for (const Vec3<double>& p : part.vertices) out.vertices.push_back(p + Vec3<double>{x, 0, 0});
  for (const auto& [a, b, c] : part.corners) out.corners.push_back({a + 8, c + 8, b + 8});
  return out;
}

TEST(MeshInertia, SubtractsACavity) {
  Triangles hollow = cube_with_inverted_part(0);
  for (const char* which : {"as it is", "inside out"}) {
    const SpatialInertia<double> M = inertia_of(hollow, 1);
    EXPECT_NEAR(M.m, 7, 1e-14) << which;
    EXPECT_NEAR(M.I.xx, 8 * 8.0 / 12 - 2.0 / 12, 1e-14) << which;
    for (auto& [a, b, c] : hollow.corners) std::swap(b, c);
  }
}

TEST(MeshInertia, RejectsAPartThatIsInsideOut) {
  const Triangles mesh = cube_with_inverted_part(5);
  EXPECT_THAT(error_of([&] { inertia_of(mesh, 1); }),
              AllOf(StartsWith("the part of the mesh at ("),
                    HasSubstr(") m is inside out and not inside another part")));
}

TEST(MeshInertia, SaysWhereAMeshIsOpen) {
  Triangles open = box_mesh({1, 1, 1});
  open.corners.pop_back();
  EXPECT_EQ(
      error_of([&] { inertia_of(open, 1); }),
      "the mesh is not closed: 3 edges have a triangle on one side only, the first from (0.5, "
      "0.5, -0.5) to (0.5, -0.5, 0.5) m; close the hole");
  Triangles turned = box_mesh({1, 1, 1});
  std::swap(turned.corners[0][0], turned.corners[0][1]);
  EXPECT_THAT(error_of([&] { inertia_of(turned, 1); }),
              StartsWith("two triangles at the edge from "));
  EXPECT_THAT(error_of([&] {
                inertia_of(box_mesh({1, 1, 0}), 1);
              }),
              HasSubstr("encloses a volume of 0 m^3"));
  EXPECT_THAT(error_of([&] { inertia_of(Triangles{}, 1); }), HasSubstr("has no triangles"));
}

}  // namespace
}  // namespace torsor
