// Tests of the outlines of collision shapes: on request, for every kind, on the surface.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "editor/view/drawing.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/builder.hpp"
#include "torsor/simulation/load.hpp"

namespace torsor::editor {
namespace {

CollisionShape shape_of_kind(ShapeKind kind) {
  CollisionShape out{kind, {0.1, 0.2, 0.3}};
  if (kind == ShapeKind::convex) {
    const Vec3<double> corners[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    return convex_shape(corners);
  }
  if (kind == ShapeKind::height_field)
    out.field = std::make_shared<const HeightField>(HeightField{3, 2, 1, 1, {0, 1, 0, 0, 1, 0}});
  return out;
}

Drawing drawn_collider(ShapeKind kind, const Pose<double>& X_LC, bool on) {
  RobotDescription robot;
  robot.name = "r";
  LinkDescription link;
  link.name = "link";
  link.collisions = {{.X_LC = X_LC, .shape = shape_of_kind(kind)}};
  robot.links = {link};
  const auto model = build(robot);
  const State state(model);
  const Shapes shapes = shapes_of(*model);
  ViewToggles toggles{.links = false, .axes = false, .collisions = on, .com = false};
  return draw({.state = state,
               .load = Load{},
               .shapes = shapes,
               .toggles = toggles,
               .highlight = Highlight{},
               .trails = {},
               .palette = palette(true)});
}

TEST(ColliderDrawing, EveryKindHasAnOutline) {
  const Pose<double> here = Pose<double>::identity(), there = translation<double>({5, 6, 7});
  for (int k = 0; k < n_shape_kind; ++k) {
    const auto kind = ShapeKind(k);
    SCOPED_TRACE(traits(kind).name);
    EXPECT_TRUE(drawn_collider(kind, here, false).strokes.empty());
    const auto strokes = drawn_collider(kind, here, true).strokes;
    const auto moved = drawn_collider(kind, there, true).strokes;
    EXPECT_GE(strokes.size(), 6u);
    ASSERT_EQ(moved.size(), strokes.size());
    for (size_t i = 0; i < strokes.size(); ++i)
      EXPECT_LT(norm(moved[i].from - strokes[i].from - there.p), 1e-12);
  }
}

TEST(ColliderDrawing, OutlinesAreOnTheSurface) {
  const auto each_end = [](ShapeKind kind, auto check) {
    for (const Stroke& stroke : drawn_collider(kind, Pose<double>::identity(), true).strokes)
      for (const Vec3<double>& p : {stroke.from, stroke.to}) check(p);
  };
  each_end(ShapeKind::sphere, [](const Vec3<double>& p) { EXPECT_NEAR(norm(p), 0.1, 1e-12); });
  each_end(ShapeKind::ellipsoid, [](const Vec3<double>& p) {
    EXPECT_NEAR(norm(Vec3<double>{p.x / 0.1, p.y / 0.2, p.z / 0.3}), 1, 1e-12);
  });
  each_end(ShapeKind::box, [](const Vec3<double>& p) {
    EXPECT_NEAR(std::abs(p.x), 0.1, 1e-15);
    EXPECT_NEAR(std::abs(p.z), 0.3, 1e-15);
  });
  each_end(ShapeKind::capsule, [](const Vec3<double>& p) {
    const double z = p.z - std::clamp(p.z, -0.3, 0.3);
    EXPECT_NEAR(norm(Vec3<double>{p.x, p.y, z}), 0.1, 1e-12);
  });
}

}  // namespace
}  // namespace torsor::editor
