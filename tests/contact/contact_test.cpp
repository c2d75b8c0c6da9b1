// Tests of contact points: their definition, manifolds of resting shapes, ids, symmetry.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "contact/shapes.hpp"

namespace torsor::test {
namespace {

using V3 = Vec3<double>;

CollisionShape box_shape(double x, double y, double z) {
  return collision_shape(Box{{x, y, z}});
}
const CollisionShape ground{ShapeKind::half_space};

Contact contact_of(const PlacedShape& a, const PlacedShape& b, double margin) {
  PairMemory memory;
  Contact out;
  find_contact(memory, a, b, margin, out);
  return out;
}

void expect_points(const Contact& contact, std::vector<V3> expected, double gap, const V3& n,
                   double tolerance = 1e-9) {
  ASSERT_EQ(size_t(contact.count), expected.size());
  std::set<uint32_t> ids;
  for (const ContactPoint& point : contact.list()) {
    EXPECT_NEAR(point.gap, gap, tolerance);
    EXPECT_LT(norm(point.n_W - n), tolerance);
    EXPECT_TRUE(ids.insert(point.id).second);
    const auto found = std::ranges::find_if(
        expected, [&](const V3& p) { return norm(p - point.p_W) < tolerance; });
    EXPECT_NE(found, expected.end()) << point.p_W.x << " " << point.p_W.y << " " << point.p_W.z;
    if (found != expected.end()) expected.erase(found);
  }
}

// Moves the shapes of a check to random places, with the expected points.
template <class Check>
void at_random_places(Check check) {
  Random random(11);
  for (int k = 0; k < 20; ++k) check(k == 0 ? Pose<double>::identity() : random.pose(2));
}

V3 up(const Pose<double>& X) {
  return X.R * V3{0, 0, 1};
}

TEST(Contacts, OfABoxOnABoxAreFourCorners) {
  const CollisionShape large = box_shape(2, 2, 1), small = box_shape(0.4, 0.6, 0.2);
  for (const double gap : {-1e-3, -1e-9, 0.0, 1e-12, 1e-7, 1e-3})
    at_random_places([&](const Pose<double>& X) {
      const PlacedShape a = placed(large, X),
                        b = placed(small, X * translation<double>({0.3, 0.1, 0.6 + gap}));
      std::vector<V3> corners;
      for (const double x : {0.1, 0.5})
        for (const double y : {-0.2, 0.4}) corners.push_back(X * V3{x, y, 0.5 + gap / 2});
      expect_points(contact_of(a, b, 0.01), corners, gap, up(X));
      expect_points(contact_of(b, a, 0.01), corners, gap, -up(X));
    });
}

TEST(Contacts, OfBoxesThatOverhangAreTheCornersOfTheOverlap) {
  const CollisionShape box = box_shape(1, 1, 1);
  at_random_places([&](const Pose<double>& X) {
    const PlacedShape a = placed(box, X), b = placed(box, X * translation<double>({0.7, 0.6, 1}));
    std::vector<V3> corners;
    for (const double x : {0.2, 0.5})
      for (const double y : {0.1, 0.5}) corners.push_back(X * V3{x, y, 0.5});
    expect_points(contact_of(a, b, 0.01), corners, 0, up(X));
  });
}

TEST(Contacts, OfTurnedBoxesSpanTheOctagonOfTheirOverlap) {
  const CollisionShape box = box_shape(1, 1, 1);
  const PlacedShape a = placed(box, Pose<double>::identity()),
                    b = placed(box, translation<double>({0, 0, 1}) * rotation_z(M_PI / 4));
  const Contact contact = contact_of(a, b, 0.01);
  ASSERT_EQ(contact.count, 4);
  for (const ContactPoint& point : contact.list()) {
    EXPECT_NEAR(std::max(std::abs(point.p_W.x), std::abs(point.p_W.y)), 0.5, 1e-12);
    EXPECT_NEAR(std::min(std::abs(point.p_W.x), std::abs(point.p_W.y)), std::sqrt(0.5) - 0.5, 1e-9);
  }
}

TEST(Contacts, OfABoxOnAnEdgeAreTwoPoints) {
  const CollisionShape large = box_shape(2, 2, 1), small = box_shape(0.4, 0.4, 0.4);
  const double height = 0.5 + 0.2 * std::sqrt(2);
  at_random_places([&](const Pose<double>& X) {
    const Pose<double> tilted = translation<double>({0, 0, height}) * rotation_x(M_PI / 4);
    const PlacedShape a = placed(large, X), b = placed(small, X * tilted);
    expect_points(contact_of(a, b, 1e-3), {X * V3{-0.2, 0, 0.5}, X * V3{0.2, 0, 0.5}}, 0, up(X));
  });
}

TEST(Contacts, OfCrossedEdgesIsOnePoint) {
  const CollisionShape box = box_shape(1, 1, 1);
  const Pose<double> roof = rotation_x(M_PI / 4);
  const double height = 2 * std::sqrt(0.5) - 0.01;
  at_random_places([&](const Pose<double>& X) {
    const PlacedShape a = placed(box, X * roof),
                      b = placed(box, X * translation<double>({0, 0, height}) *
                                          rotation_z(M_PI / 2) * roof);
    expect_points(contact_of(a, b, 1e-3), {X * V3{0, 0, height / 2}}, -0.01, up(X));
  });
}

// All kinds at rest on a half space, and on a large box.
struct Resting {
  const char* name;
  CollisionShape shape;
  Pose<double> X;  // at rest on z = 0
  std::vector<V3> points;
};
std::vector<Resting> resting_shapes() {
  const Pose<double> lying = translation<double>({0, 0, 0.2}) * rotation_y(M_PI / 2);
  const auto at = [](double z) { return translation<double>({0, 0, z}); };
  std::vector<V3> prism, hexagon;
  for (int k = 0; k < 4; ++k)
    for (const double z : {-0.1, 0.1}) prism.push_back({k % 2 ? 0.3 : -0.3, k / 2 ? 0.2 : -0.2, z});
  const std::vector<V3> corners{{0.3, 0.2, 0}, {0.3, -0.2, 0}, {-0.3, 0.2, 0}, {-0.3, -0.2, 0}};
  const std::vector<V3> rim{{0.2, 0, 0}, {-0.2, 0, 0}, {0, 0.2, 0}, {0, -0.2, 0}};
  return {
      {"sphere", collision_shape(Sphere{0.2}), at(0.2), {{0, 0, 0}}},
      {"box", box_shape(0.6, 0.4, 0.2), at(0.1), corners},
      {"convex", convex_shape(prism), at(0.1), corners},
      {"capsule", collision_shape(Capsule{0.2, 0.6}), lying, {{-0.3, 0, 0}, {0.3, 0, 0}}},
      {"standing_capsule", collision_shape(Capsule{0.2, 0.6}), at(0.5), {{0, 0, 0}}},
      {"cylinder", collision_shape(Cylinder{0.2, 0.6}), at(0.3), rim},
      {"lying_cylinder", collision_shape(Cylinder{0.2, 0.6}), lying, {{-0.3, 0, 0}, {0.3, 0, 0}}},
      {"cone", collision_shape(Cone{0.2, 0.6}), at(0.3), rim},
      {"ellipsoid", collision_shape(Ellipsoid{{0.3, 0.2, 0.1}}), at(0.1), {{0, 0, 0}}}};
}

TEST(Contacts, OfRestingShapes) {
  const CollisionShape table = box_shape(3, 3, 1);
  for (const Resting& each : resting_shapes())
    for (const double gap : {-1e-4, 0.0, 1e-12, 1e-4})
      at_random_places([&](const Pose<double>& X) {
        SCOPED_TRACE(testing::Message() << each.name << " " << gap);
        std::vector<V3> points;
        for (const V3& p : each.points) points.push_back(X * (p + V3{0, 0, gap / 2}));
        const PlacedShape b = placed(each.shape, X * translation<double>({0, 0, gap}) * each.X);
        // The corners of a disc are anywhere on its rim.
        const bool is_disc = each.points.size() == 4 && each.shape.kind != ShapeKind::box &&
                             each.shape.kind != ShapeKind::convex;
        const PlacedShape plane = placed(ground, X),
                          top = placed(table, X * translation<double>({0, 0, -0.5}));
        for (const PlacedShape& under : {plane, top}) {
          const Contact contact = contact_of(under, b, 1e-3);
          if (!is_disc) {
            expect_points(contact, points, gap, up(X), 2e-9);
            continue;
          }
          ASSERT_EQ(contact.count, 4);
          V3 sum{0, 0, 0};
          for (const ContactPoint& point : contact.list()) {
            const V3 p = inverse(X) * point.p_W;
            EXPECT_NEAR(std::hypot(p.x, p.y), 0.2, 1e-9);
            EXPECT_NEAR(point.gap, gap, 2e-9);
            sum += p;
          }
          EXPECT_LT(std::hypot(sum.x, sum.y), 1e-9);
        }
      });
}

TEST(Contacts, OfParallelCapsulesAreTwoPoints) {
  const CollisionShape a = collision_shape(Capsule{0.1, 1}), b = collision_shape(Capsule{0.2, 0.6});
  at_random_places([&](const Pose<double>& X) {
    const Contact contact =
        contact_of(placed(a, X), placed(b, X * translation<double>({0.3, 0, 0.4})), 0.01);
    expect_points(contact, {X * V3{0.1, 0, 0.1}, X * V3{0.1, 0, 0.5}}, 0, X.R * V3{1, 0, 0});
  });
}

TEST(Contacts, OfCapsulesSideBySideAreTwoPoints) {
  const CollisionShape capsule = collision_shape(Capsule{0.1, 1});
  at_random_places([&](const Pose<double>& X) {
    const Contact contact =
        contact_of(placed(capsule, X), placed(capsule, X * translation<double>({0, 0.2, 0})), 0.01);
    expect_points(contact, {X * V3{0, 0.1, 0.5}, X * V3{0, 0.1, -0.5}}, 0, X.R * V3{0, 1, 0});
  });
}

// Every pair of kinds: each point is a pair of points of both surfaces, the first has the least
// gap, which is the separation, and swapping or moving the shapes changes nothing else.
TEST(Contacts, OfRandomShapesAreOnBothSurfaces) {
  Random random(12);
  PairMemory memory;
  for (const ShapeKind kind_a : bounded_kinds)
    for (const ShapeKind kind_b : bounded_kinds)
      for (int k = 0; k < 40; ++k) {
        SCOPED_TRACE(testing::Message()
                     << traits(kind_a).name << " " << traits(kind_b).name << " " << k);
        const CollisionShape shape_a = random_shape(random, kind_a),
                             shape_b = random_shape(random, kind_b);
        PlacedShape a = placed(shape_a, random.pose(1)), b = placed(shape_b, random.pose(1));
        b.X_WC.p = a.X_WC.p + 0.5 * random.direction();
        Separation s = separate(memory, a, b);
        b.X_WC.p += random.uniform(-1e-3, 1e-3) * s.n_W - s.gap * s.n_W;
        s = separate(memory, a, b);
        if (s.gap > 1.9e-3) continue;  // another direction is now better
        Contact contact;
        find_contact(memory, a, b, 2e-3, contact);
        ASSERT_GE(contact.count, 1);
        // A thin tilted disc may touch beside the corners of its rim.
        EXPECT_NEAR(contact.points[0].gap, s.gap, 1e-6);
        for (const ContactPoint& point : contact.list()) {
          EXPECT_LT(point.gap, 2e-3);
          EXPECT_GE(point.gap, contact.points[0].gap - 1e-8);
          EXPECT_NEAR(norm(point.n_W), 1, 1e-12);
          const V3 p_A = point.p_W - 0.5 * point.gap * point.n_W,
                   p_B = point.p_W + 0.5 * point.gap * point.n_W;
          // Each point is in its shape: no plane of support separates it.
          for (int j = 0; j < 20; ++j) {
            const V3 d = random.direction();
            EXPECT_LE(dot(d, p_A), dot(d, a.support(d)) + a.radius() + 1e-6);
            EXPECT_LE(dot(d, p_B), dot(d, b.support(d)) + b.radius() + 1e-6);
          }
        }
        Contact swapped;
        find_contact(memory, b, a, 2e-3, swapped);
        EXPECT_NEAR(swapped.points[0].gap, contact.points[0].gap, 1e-6);
        if (s.gap > 1e-4) {
          EXPECT_LT(norm(swapped.points[0].n_W + contact.points[0].n_W), 1e-4);
        }
      }
}

// The ids of a box that slides and turns a little on another one do not change.
TEST(Contacts, KeepTheirIds) {
  const CollisionShape large = box_shape(2, 2, 1), small = box_shape(0.4, 0.6, 0.2);
  const auto ids = [](const Contact& contact) {
    std::set<uint32_t> out;
    for (const ContactPoint& point : contact.list()) out.insert(point.id);
    return out;
  };
  std::set<uint32_t> first[2];
  Random random(13);
  for (int k = 0; k < 300; ++k) {
    const Pose<double> X =
        translation<double>({1e-3 * k, 5e-4 * k, 0.1 + 1e-6 * random.uniform()}) *
        rotation_z(1e-3 * k) * rotation_x(1e-7 * random.uniform(-1, 1));
    const PlacedShape b = placed(small, X);
    const Contact contacts[] = {
        contact_of(placed(large, translation<double>({0, 0, -0.5})), b, 1e-3),
        contact_of(placed(ground, Pose<double>::identity()), b, 1e-3)};
    for (size_t i = 0; i < 2; ++i) {
      ASSERT_EQ(contacts[i].count, 4);
      if (k == 0) first[i] = ids(contacts[i]);
      EXPECT_EQ(ids(contacts[i]), first[i]);
    }
  }
}

TEST(Contacts, OfDeeplyOverlappingShapesAreFinite) {
  Random random(14);
  for (const ShapeKind kind_a : bounded_kinds)
    for (const ShapeKind kind_b : bounded_kinds) {
      const CollisionShape a = random_shape(random, kind_a), b = random_shape(random, kind_b);
      const Pose<double> X = random.pose(1);
      // The same place, and the same place and direction.
      for (const Pose<double>& Y : {X, X * Pose<double>{random.rotation(), {0, 0, 0}}}) {
        SCOPED_TRACE(testing::Message() << traits(kind_a).name << " " << traits(kind_b).name);
        const Contact contact = contact_of(placed(a, X), placed(b, Y), 0);
        ASSERT_GE(contact.count, 1);
        for (const ContactPoint& point : contact.list()) {
          EXPECT_LT(point.gap, 0);
          EXPECT_TRUE(std::isfinite(point.gap + norm(point.p_W)));
          EXPECT_NEAR(norm(point.n_W), 1, 1e-12);
        }
      }
    }
}

}  // namespace
}  // namespace torsor::test
