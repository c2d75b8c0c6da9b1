#pragma once
// Shapes for collision detection, in their frame C. Lengths are in metres.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/shapes/convex_hull.hpp"
#include "torsor/shapes/shape.hpp"

namespace torsor {

// The kinds of shapes. All of them are solid, and all but half spaces and height fields are convex
// and bounded. Round shapes have the z axis as their axis.
enum class ShapeKind : unsigned char {
  half_space,   // the points with z <= 0
  sphere,       // size.x: radius
  box,          // size: half the lengths of the edges along x, y and z
  capsule,      // size.x: radius; size.z: half the length between the centres of the half spheres
  cylinder,     // size.x: radius; size.z: half the length
  ellipsoid,    // size: semi-axes along x, y and z
  cone,         // size.x: radius of the base at z = -size.z; size.z: half the height
  convex,       // hull: a convex polyhedron
  height_field  // field: the points below a surface
};
inline constexpr int n_shape_kind = 9;

// Heights of a surface over a grid, whose centre is the origin of C. Node (i, j) is at
// x = (i - (n_x - 1) / 2) spacing_x, y = (j - (n_y - 1) / 2) spacing_y. The surface consists of two
// triangles per cell; the diagonal of a cell connects its nodes (i, j) and (i + 1, j + 1).
struct HeightField {
  int n_x, n_y;                 // number of nodes along x and y
  double spacing_x, spacing_y;  // m
  std::vector<double> heights;  // [n_x * n_y]: height of node (i, j) at index i + n_x * j

  Vec3<double> node(int i, int j) const {
    return {(i - 0.5 * (n_x - 1)) * spacing_x, (j - 0.5 * (n_y - 1)) * spacing_y,
            heights[size_t(i) + size_t(n_x) * size_t(j)]};
  }
};

struct CollisionShape {
  ShapeKind kind = ShapeKind::sphere;
  Vec3<double> size{0, 0, 0};
  std::shared_ptr<const ConvexHull> hull = nullptr;
  std::shared_ptr<const HeightField> field = nullptr;
};

// A length that a user gives: a multiple of an entry of CollisionShape::size.
struct ShapeLength {
  std::string_view name;  // "": the shape does not use this entry
  double factor;
};
struct ShapeTraits {
  ShapeKind kind;
  std::string_view name;
  std::array<ShapeLength, 3> lengths;  // for the entries x, y and z of CollisionShape::size
};
const ShapeTraits& traits(ShapeKind kind);

// Returns the collision shape of a box, cylinder, sphere, capsule, cone or ellipsoid. The argument
// must not be a mesh.
CollisionShape collision_shape(const Shape& shape);
// Returns the convex hull of points. Throws Error as convex_hull().
CollisionShape convex_shape(std::span<const Vec3<double>> points);

// Returns the reason, with the numbers, why a shape is not possible, or nullopt if it is.
std::optional<std::string> defect(const CollisionShape& shape);

}  // namespace torsor
