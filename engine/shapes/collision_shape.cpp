#include "torsor/shapes/collision_shape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace torsor {

namespace {

constexpr ShapeLength unused{"", 0}, radius{"radius", 1}, length{"length", 2};
constexpr ShapeTraits shape_kinds[] = {
    {ShapeKind::half_space, "half_space", {unused, unused, unused}},
    {ShapeKind::sphere, "sphere", {radius, unused, unused}},
    {ShapeKind::box, "box", {{{"size in x", 2}, {"size in y", 2}, {"size in z", 2}}}},
    {ShapeKind::capsule, "capsule", {radius, unused, length}},
    {ShapeKind::cylinder, "cylinder", {radius, unused, length}},
    {ShapeKind::ellipsoid,
     "ellipsoid",
     {{{"radius in x", 1}, {"radius in y", 1}, {"radius in z", 1}}}},
    {ShapeKind::cone, "cone", {radius, unused, length}},
    {ShapeKind::convex, "convex", {unused, unused, unused}},
    {ShapeKind::height_field, "height_field", {unused, unused, unused}}};
static_assert(std::size(shape_kinds) == n_shape_kind);

struct Converted {
  CollisionShape operator()(const Box& box) const { return {ShapeKind::box, 0.5 * box.size}; }
  CollisionShape operator()(const Cylinder& cylinder) const {
    return {ShapeKind::cylinder, {cylinder.radius, 0, cylinder.length / 2}};
  }
  CollisionShape operator()(const Sphere& sphere) const {
    return {ShapeKind::sphere, {sphere.radius, 0, 0}};
  }
  CollisionShape operator()(const Capsule& capsule) const {
    return {ShapeKind::capsule, {capsule.radius, 0, capsule.length / 2}};
  }
  CollisionShape operator()(const Cone& cone) const {
    return {ShapeKind::cone, {cone.radius, 0, cone.length / 2}};
  }
  CollisionShape operator()(const Ellipsoid& ellipsoid) const {
    return {ShapeKind::ellipsoid, ellipsoid.radii};
  }
  CollisionShape operator()(const MeshFile&) const { return {ShapeKind::convex}; }
};

std::optional<std::string> field_defect(const HeightField& field) {
  if (field.n_x < 2 || field.n_y < 2)
    return fmt::format("the height field has {} x {} heights; it needs 2 x 2 at least", field.n_x,
                       field.n_y);
  for (const double spacing : {field.spacing_x, field.spacing_y})
    if (!(spacing > 0) || std::isinf(spacing))
      return fmt::format("the spacing of the height field is {} m; it must be positive and finite",
                         spacing);
  for (const double height : field.heights)
    if (!std::isfinite(height))
      return fmt::format("a height of the height field is {}; it must be finite", height);
  return std::nullopt;
}

}  // namespace

const ShapeTraits& traits(ShapeKind kind) {
  return shape_kinds[size_t(kind)];
}

CollisionShape collision_shape(const Shape& shape) {
  return std::visit(Converted{}, shape);
}

CollisionShape convex_shape(std::span<const Vec3<double>> points) {
  return {ShapeKind::convex, {}, std::make_shared<const ConvexHull>(convex_hull(points))};
}

std::optional<std::string> defect(const CollisionShape& shape) {
  const ShapeTraits& kind = traits(shape.kind);
  const double sizes[] = {shape.size.x, shape.size.y, shape.size.z};
  for (size_t k = 0; k < 3; ++k) {
    const auto& [what, factor] = kind.lengths[k];
    if (!what.empty() && (!(sizes[k] > 0) || std::isinf(sizes[k])))
      return fmt::format("the {} of the {} is {} m; it must be positive and finite", what,
                         kind.name, factor * sizes[k]);
  }
  if (shape.kind == ShapeKind::convex && !shape.hull) return "the convex shape has no points";
  if (shape.kind != ShapeKind::height_field) return std::nullopt;
  if (!shape.field) return "the height field has no heights";
  return field_defect(*shape.field);
}

}  // namespace torsor
