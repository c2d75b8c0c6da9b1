// Tests of inertias in each form of input, and of the check of whether a body can have an inertia.

#include "torsor/model/inertia.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/difference.hpp"
#include "support/random_robot.hpp"

namespace torsor::test {
namespace {

using testing::HasSubstr;

// Checks Steiner's theorem on a dumbbell of two point masses, whose inertia about any point is
// known.
// Equations: KHALIL 7.12; MK 31.
TEST(Inertia, AboutTheComIsShiftedToTheOrigin) {
  // A mass of 3 kg is at (1, 0, 2) and 1 kg at (1, 4, 2), so the COM is (1, 1, 2). The moments of
  // inertia about x and z through the COM are 3 * 1 + 1 * 9 = 12 kg m^2.
  const SpatialInertia<double> M = inertia_about_com(4, {1, 1, 2}, {12, 0, 12, 0, 0, 0});
  // The sum of m (p.p 1 - p p^T) is about the origin.
  const SpatialInertia<double> points{4, {4, 4, 8}, {4 * 4 + 16, 20, 4 + 16, -4, -8, -8}};
  EXPECT_LT(difference(M, points), 1e-14);
}

TEST(Inertia, ThreeFormsOfOneInertia) {
  const Sym3<double> about_origin{32, 20, 20, -4, -8, -8};
  const SpatialInertia<double> com = inertia_about_com(4, {1, 1, 2}, {12, 0, 12, 0, 0, 0});
  EXPECT_LT(difference(inertia_about_origin(4, {1, 1, 2}, about_origin), com), 1e-14);
  EXPECT_LT(difference(inertia_from_moments(4, {4, 4, 8}, about_origin), com), 1e-14);
}

TEST(Inertia, PrincipalMomentsAndAxes) {
  Random random(1);
  for (int k = 0; k < 20; ++k) {
    const Mat3<double> R = random.rotation();
    const SpatialInertia<double> M =
        inertia_about_com(2, random.vector(3), rotate(R, Sym3<double>{1, 2, 2.5, 0, 0, 0}));
    const PrincipalInertia principal = principal_inertia(M);
    const double expected[] = {1, 2, 2.5};
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(principal.moments[size_t(i)], expected[i], 1e-13);
      // Each axis is a column of R, up to sign.
      double along = 0;
      for (int row = 0; row < 3; ++row) along += principal.axes(row, i) * R(row, i);
      EXPECT_NEAR(std::abs(along), 1, 1e-13);
    }
  }
}

TEST(Inertia, BodiesHaveNoDefect) {
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    const double size = std::pow(10, random.uniform(-3, 3));
    EXPECT_EQ(physical_defect(random_inertia(random, size, std::pow(10, random.uniform(-3, 3)))),
              std::nullopt);
  }
}

// Checks points, rods and plates at random places and orientations. They are on the boundary of
// valid inertias.
TEST(Inertia, ThinBodiesHaveNoDefect) {
  Random random(3);
  for (int k = 0; k < 100; ++k) {
    const Vec3<double> c = random.vector(10);
    const Mat3<double> R = random.rotation();
    for (const Sym3<double>& thin :
         {Sym3<double>{0, 0, 0, 0, 0, 0}, Sym3<double>{0.3, 0.3, 0, 0, 0, 0},
          Sym3<double>{0.1, 0.2, 0.3, 0, 0, 0}})
      EXPECT_EQ(physical_defect(inertia_about_com(2, c, rotate(R, thin))), std::nullopt);
  }
  EXPECT_EQ(physical_defect(SpatialInertia<double>::zero()), std::nullopt);
  // A rotor has moments of inertia but no mass.
  EXPECT_EQ(physical_defect(inertia_from_moments(0, {0, 0, 0}, {1, 1, 1, 0, 0, 0})), std::nullopt);
}

// Checks both sides of the boundary. The distance 1e-9 is far above rounding.
TEST(Inertia, TheBoundaryIsSharp) {
  const Vec3<double> c{0.1, -0.2, 0.3};
  EXPECT_EQ(physical_defect(inertia_about_com(1, c, {1, 2, 3 - 1e-9, 0, 0, 0})), std::nullopt);
  EXPECT_THAT(physical_defect(inertia_about_com(1, c, {1, 2, 3 + 1e-9, 0, 0, 0})).value_or(""),
              HasSubstr("triangle"));
  EXPECT_THAT(physical_defect(inertia_about_com(1, c, {-1e-9, 2, 2, 0, 0, 0})).value_or(""),
              HasSubstr("not positive"));
  EXPECT_EQ(physical_defect(inertia_about_com(1, c, {0, 2, 2, 0, 0, 0})), std::nullopt);
}

TEST(Inertia, DefectsOfMass) {
  EXPECT_THAT(physical_defect(inertia_from_moments(-1, {0, 0, 0}, {1, 1, 1, 0, 0, 0})).value_or(""),
              HasSubstr("-1"));
  EXPECT_THAT(physical_defect(inertia_from_moments(0, {0, 2, 0}, {1, 1, 1, 0, 0, 0})).value_or(""),
              HasSubstr("first moment"));
}

// Moments (a, b, c) outside the cone, and the nearest ones, worked out by hand: on the face a + b =
// c, on the edge of rods, and at the tip.
TEST(Inertia, TheNearestPossibleInertia) {
  struct Case {
    std::array<double, 3> given, nearest;
  };
  const Mat3<double> R = Random(4).rotation();
  for (const auto& [given, nearest] :
       {Case{{1, 2, 2.5}, {1, 2, 2.5}}, Case{{1, 1, 5}, {2, 2, 4}}, Case{{-3, 1, 4}, {0, 2.5, 2.5}},
        Case{{-3, -2, -1}, {0, 0, 0}}}) {
    const auto [a, b, c] = given;
    const auto [x, y, z] = nearest;
    const Vec3<double> com{0.3, -0.2, 0.1};
    const Sym3<double> found = nearest_possible_inertia(
                           inertia_about_com(2, com, rotate(R, Sym3<double>{a, b, c, 0, 0, 0}))),
                       expected = rotate(R, Sym3<double>{x, y, z, 0, 0, 0});
    EXPECT_LT(difference(SpatialInertia<double>{0, {0, 0, 0}, found},
                         SpatialInertia<double>{0, {0, 0, 0}, expected}),
              1e-14)
        << a << ", " << b << ", " << c;
  }
}

}  // namespace
}  // namespace torsor::test
