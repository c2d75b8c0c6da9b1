// Tests of the camera, the solids of the 3D view and ray casts.

#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

#include "editor/opengl/mesh.hpp"
#include "editor/points.hpp"
#include "editor/view/drawing.hpp"
#include "editor/view/overlay.hpp"
#include "torsor/base/random.hpp"
#include "torsor/model/inertia.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor::test {
namespace {

constexpr double pi = std::numbers::pi;

// Returns clip coordinates, computed with the matrix that OpenGL uses.
std::array<double, 4> clip(const Camera& camera, const Vec3<double>& p, double aspect) {
  const auto m = camera.clip_from_world(aspect);
  std::array<double, 4> out{};
  for (size_t row = 0; row < 4; ++row)
    out[row] = double(m[row]) * p.x + double(m[4 + row]) * p.y + double(m[8 + row]) * p.z +
               double(m[12 + row]);
  return out;
}

TEST(Camera, FitShowsEveryPointAndWastesNoRoom) {
  Random random(1);
  for (int trial = 0; trial < 50; ++trial) {
    Camera camera;
    camera.azimuth = random.uniform(-pi, pi);
    camera.elevation = random.uniform(-pi / 2, pi / 2);
    const double aspect = random.uniform(0.3, 3), size = std::exp(random.uniform(-4, 4));
    std::vector<Vec3<double>> points;
    for (int k = 0; k < 20; ++k)
      points.push_back(
          size * Vec3<double>{random.uniform(-1, 2), random.uniform(-1, 1), random.uniform(0, 3)});
    camera.fit(points, aspect);
    double outermost = 0;
    for (const Vec3<double>& p : points) {
      const auto c = clip(camera, p, aspect);
      EXPECT_GT(c[3], 0);
      for (size_t k = 0; k < 3; ++k) EXPECT_LT(std::abs(c[k]), c[3]) << "coordinate " << k;
      outermost = std::max({outermost, std::abs(c[0]) / c[3], std::abs(c[1]) / c[3]});
    }
    EXPECT_NEAR(outermost, 0.86, 1e-3);  // the margin, in float precision
  }
}

TEST(Camera, FitOfOnePointKeepsItInTheMiddle) {
  Camera camera;
  const Vec3<double> point{1, 2, 3};
  camera.fit(std::span(&point, 1), 1.5);
  EXPECT_GT(camera.distance, 0);
  expect_near(camera.target, point, 1e-12);
}

TEST(Camera, LooksAlongAxes) {
  for (int axis = 0; axis < 3; ++axis)
    for (const bool backward : {false, true}) {
      Camera camera;
      camera.look_along(axis, backward);
      const double sign = backward ? -1 : 1;
      expect_near(camera.forward(),
                  {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0}, 1e-15);
      expect_near(cross(camera.right(), camera.up()), -camera.forward(), 1e-15);
      if (axis < 2) expect_near(camera.up(), {0, 0, 1}, 1e-15);
      if (axis == 2) expect_near(camera.right(), {1, 0, 0}, 1e-15);
    }
}

TEST(Camera, OrbitStopsOverheadAndKeepsTheTargetInTheMiddle) {
  Camera camera;
  camera.orbit(10, 4);
  EXPECT_EQ(camera.elevation, pi / 2);
  camera.orbit(-3, -9);
  EXPECT_EQ(camera.elevation, -pi / 2);
  camera.orbit(0, 1);
  const auto at = camera.project(camera.target, 400, 300);
  ASSERT_TRUE(at);
  EXPECT_NEAR(at->x, 200, 1e-9);
  EXPECT_NEAR(at->y, 150, 1e-9);
}

TEST(Camera, PanMovesTheTargetWithTheMouse) {
  Camera camera;
  const Vec3<double> target = camera.target;
  camera.pan(0.25, -0.5);  // in a picture 300 pixels high
  const auto at = camera.project(target, 400, 300);
  ASSERT_TRUE(at);
  EXPECT_NEAR(at->x, 200 + 75, 1e-9);
  EXPECT_NEAR(at->y, 150 + 150, 1e-9);
}

TEST(Camera, RayThroughAPixelProjectsThereAndAgreesWithTheMatrix) {
  Random random(2);
  Camera camera;
  for (int k = 0; k < 50; ++k) {
    camera.orbit(random.uniform(-3, 3), random.uniform(-1, 1));
    const Pixel pixel{random.uniform(0, 640), random.uniform(0, 480)};
    const Ray ray = camera.ray(pixel, 640, 480);
    const Vec3<double> point = ray.origin + random.uniform(0.5, 9) * ray.direction;
    const auto back = camera.project(point, 640, 480);
    ASSERT_TRUE(back);
    EXPECT_NEAR(back->x, pixel.x, 1e-8);
    EXPECT_NEAR(back->y, pixel.y, 1e-8);
    const auto c = clip(camera, point, 640.0 / 480);
    EXPECT_NEAR((c[0] / c[3] + 1) * 320, pixel.x, 1e-2);  // in float precision
    EXPECT_NEAR((1 - c[1] / c[3]) * 240, pixel.y, 1e-2);
  }
}

TEST(Camera, APointOnThePlaneIsUnderThePixelAndAsFarAway) {
  Camera camera;
  camera.orbit(0.4, 0.2);
  const Vec3<double> point{0.3, -0.2, 0.9},
      there = camera.on_plane_through(point, {500, 100}, 640, 480);
  const auto pixel = camera.project(there, 640, 480);
  ASSERT_TRUE(pixel);
  EXPECT_NEAR(pixel->x, 500, 1e-9);
  EXPECT_NEAR(pixel->y, 100, 1e-9);
  EXPECT_NEAR(dot(there - point, camera.forward()), 0, 1e-12);
}

TEST(Camera, WhatIsBehindIsNowhere) {
  const Camera camera;
  EXPECT_FALSE(camera.project(camera.eye() - camera.forward(), 100, 100));
}

// Returns the distance at which the ray hits the drawn triangles of a solid.
std::optional<double> meet_triangles(const Ray& ray, const Solid& solid) {
  const std::vector<float> floats = triangles(solid.mesh);
  std::optional<double> first;
  const auto corner = [&](size_t k) {
    const double taper = 1 + (solid.taper - 1) * (double(floats[6 * k + 2]) + 0.5);
    return solid.X * Vec3<double>{solid.size.x * taper * double(floats[6 * k]),
                                  solid.size.y * taper * double(floats[6 * k + 1]),
                                  solid.size.z * double(floats[6 * k + 2])};
  };
  for (size_t k = 0; k + 2 < floats.size() / 6; k += 3) {
    const Vec3<double> a = corner(k), u = corner(k + 1) - a, v = corner(k + 2) - a;
    const Vec3<double> n = cross(u, v), from = ray.origin - a;
    const double det = -dot(ray.direction, n);
    if (std::abs(det) < 1e-14) continue;
    const double t = dot(from, n) / det;
    const Vec3<double> m = cross(from, ray.direction);
    const double x = dot(v, m) / det, y = -dot(u, m) / det;
    if (t <= 0 || x < 0 || y < 0 || x + y > 1) continue;
    if (!first || t < *first) first = t;
  }
  return first;
}

TEST(Pick, MeetsSolidsWhereTheirTrianglesAre) {
  Random random(3);
  int hits = 0, grazing = 0;
  for (int trial = 0; trial < 600; ++trial) {
    Solid solid{Mesh(trial % n_mesh),
                {exp_so3({random.uniform(-3, 3), random.uniform(-3, 3), 1}),
                 {random.uniform(-1, 1), 0.2, 0.1}},
                {random.uniform(0.2, 1), 0, random.uniform(0.3, 2)}};
    solid.size.y = solid.mesh == Mesh::cylinder ? solid.size.x : random.uniform(0.2, 1);
    if (solid.mesh == Mesh::cylinder) solid.taper = trial % 2 ? random.uniform(0, 1.5) : 1;
    const Vec3<double> origin{5, random.uniform(-2, 2), random.uniform(-2, 2)};
    const Vec3<double> way =
        Vec3<double>{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)} - origin;
    const Ray ray{origin, (1 / norm(way)) * way};
    const auto drawn = meet_triangles(ray, solid);
    const auto hit = pick(ray, std::span(&solid, 1));
    if (!drawn || !hit) {
      // The triangles of a round solid are inside its surface.
      grazing += drawn.has_value() != hit.has_value();
      continue;
    }
    ++hits;
    // The error of triangles is 1 - cos(pi / 32) of a radius, and larger for a grazing ray.
    EXPECT_NEAR(hit->distance, *drawn, 0.08) << "mesh " << int(solid.mesh);
  }
  EXPECT_GT(hits, 150);
  EXPECT_LT(grazing, 10);
}

TEST(Pick, TakesTheNearestAndMissesTheSky) {
  const torsor::Shape ball = Sphere{0.5};
  std::vector<Solid> all;
  for (const double x : {-3, 0, -6}) all.push_back(solids(ball, translation<double>({x, 0, 0}))[0]);
  all.push_back(solids(Box{{1, 1, 1}}, translation<double>({0, 0, 5}))[0]);
  const Ray at_both{{10, 0, 0}, {-1, 0, 0}};
  const auto hit = pick(at_both, all);
  ASSERT_TRUE(hit);
  EXPECT_EQ(hit->index, 1);
  EXPECT_NEAR(hit->distance, 9.5, 1e-12);
  EXPECT_FALSE(pick({{10, 0, 0}, {1, 0, 0}}, all));
  EXPECT_FALSE(pick({{10, 0, 0.51}, {-1, 0, 0}}, all));
}

// Checks the first hit of a ray along -x at the height z with each round shape.
TEST(Pick, MeetsTheSurfaceOfEachShape) {
  const auto x_of_hit = [](const torsor::Shape& shape, double z) {
    const auto hit = pick({{10, 0, z}, {-1, 0, 0}}, solids(shape, Pose<double>::identity()));
    return hit ? 10 - hit->distance : -1;
  };
  const Capsule capsule{0.5, 2};
  EXPECT_NEAR(x_of_hit(capsule, 0.3), 0.5, 1e-12);
  EXPECT_NEAR(x_of_hit(capsule, -1.3), 0.4, 1e-12);
  EXPECT_NEAR(x_of_hit(capsule, 1.3), 0.4, 1e-12);
  EXPECT_EQ(x_of_hit(capsule, 1.51), -1);
  EXPECT_NEAR(x_of_hit(Cone{0.5, 2}, -0.5), 0.375, 1e-12);
  EXPECT_NEAR(x_of_hit(Ellipsoid{{0.5, 2, 1}}, 0.6), 0.4, 1e-12);
}

TEST(InertiaEllipsoid, HasTheMassPropertiesItStandsFor) {
  Random random(4);
  for (int trial = 0; trial < 30; ++trial) {
    const double m = random.uniform(0.1, 9), a = random.uniform(0.1, 2), b = random.uniform(0.1, 2),
                 c = random.uniform(0.1, 2);
    // A solid ellipsoid has I_x = m (b^2 + c^2) / 5.
    const Sym3<double> diagonal{
        m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5, 0, 0, 0};
    const Mat3<double> R =
        exp_so3({random.uniform(-2, 2), random.uniform(-2, 2), random.uniform(-2, 2)});
    const Vec3<double> com{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
    const Sym3<double> I = rotate(R, diagonal);
    const auto solid = inertia_ellipsoid(inertia_about_com(m, com, I));
    ASSERT_TRUE(solid);
    expect_near(solid->X.p, com, 1e-12);
    const Vec3<double>& s = solid->size;
    const Sym3<double> again = rotate(
        solid->X.R, Sym3<double>{m * (s.y * s.y + s.z * s.z) / 5, m * (s.x * s.x + s.z * s.z) / 5,
                                 m * (s.x * s.x + s.y * s.y) / 5, 0, 0, 0});
    const Sym3<double> difference = again - I;
    for (const double part :
         {difference.xx, difference.yy, difference.zz, difference.xy, difference.xz, difference.yz})
      EXPECT_NEAR(part, 0, 1e-11 * m * 8);
    expect_near(cross(solid->X.R * Vec3<double>{1, 0, 0}, solid->X.R * Vec3<double>{0, 1, 0}),
                solid->X.R * Vec3<double>{0, 0, 1}, 1e-12);
  }
  EXPECT_FALSE(inertia_ellipsoid(SpatialInertia<double>::zero()));
}

TEST(Helix, RisesByItsPitchAndTurnsByTheRightHand) {
  const Pose<double> X{exp_so3({0.3, -0.4, 1}), {1, 2, 3}};
  for (const double pitch : {0.05, -0.02, 2.0, 1e-4}) {
    const auto points = helix(X, 0.2, pitch, 0.5);
    double turned = 0;
    for (size_t k = 1; k < points.size(); ++k) {
      const Vec3<double> a = inverse(X) * points[k - 1], b = inverse(X) * points[k];
      const double angle = std::remainder(std::atan2(b.y, b.x) - std::atan2(a.y, a.x), 2 * pi);
      EXPECT_NEAR(std::hypot(a.x, a.y), 0.2, 1e-12);
      EXPECT_NEAR(b.z - a.z, pitch * angle, 1e-12);
      turned += angle;
    }
    EXPECT_LE(turned, 24 * pi + 1e-9);
    EXPECT_LE(std::abs(pitch) * turned, 1 + 1e-9);
    EXPECT_TRUE(std::abs(turned - 24 * pi) < 1e-9 || std::abs(std::abs(pitch) * turned - 1) < 1e-9);
  }
}

TEST(Labels, NeverCoverOneAnother) {
  std::vector<LabelBox> boxes;
  Random random(5);
  for (int k = 0; k < 60; ++k)
    boxes.push_back({float(random.uniform(0, 200)), float(random.uniform(0, 100)), 50, 14});
  const LabelBox first = boxes.front();
  part_labels(boxes);
  EXPECT_EQ(boxes.front().y, first.y);
  for (size_t k = 0; k < boxes.size(); ++k)
    for (size_t i = 0; i < k; ++i) {
      const LabelBox &a = boxes[k], &b = boxes[i];
      EXPECT_TRUE(std::abs(a.x - b.x) >= 50 || std::abs(a.y - b.y) >= 14 - 1e-3f)
          << k << " on " << i;
    }
}

}  // namespace
}  // namespace torsor::editor::test
