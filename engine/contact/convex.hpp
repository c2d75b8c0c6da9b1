#pragma once
// The geometry of convex shapes for detection: a core, which is blown up by a radius. The core of a
// sphere is a point, and that of a capsule is a segment. The radius of all other shapes is 0.

#include <array>
#include <cstdint>

#include "torsor/shapes/collision_shape.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor {

// The corners of a face, of an edge (2) or a vertex (1) of a core, counter-clockwise as seen from
// outside. A round face is approximated by 8 corners on its rim. A face of a polyhedron with more
// than 16 corners is thinned out.
struct ContactFeature {
  static constexpr int most = 16;
  struct Corner {
    Vec3<double> p;
    uint32_t id;  // unique in the shape, below 2^14
  };
  std::array<Corner, most> corners;
  int count = 0;

  void add(const Vec3<double>& p, uint32_t id) { corners[size_t(count++)] = {p, id}; }
};

// The distance of a point from a surface, m, negative inside, and its gradient: the outward unit
// normal at the nearest point.
struct SurfacePoint {
  double distance;
  Vec3<double> normal;
};

// A row per kind of convex and bounded shape. All points and directions are in the shape's frame.
struct ConvexTraits {
  // Returns a point of the core that is farthest along d. d need not have length 1.
  Vec3<double> (*support)(const CollisionShape&, const Vec3<double>& d);
  // Returns the face, edge or vertex of the core that contains a farthest point along the unit
  // vector n. If several do, returns the one that is nearest to perpendicular to n.
  void (*feature)(const CollisionShape&, const Vec3<double>& n, ContactFeature& out);
  // Returns the radius around the core, m.
  double (*radius)(const CollisionShape&);
  // Returns the second derivative of the support function h(n) = max n . x at the unit vector n.
  // null: zero, wherever it exists.
  Sym3<double> (*curvature)(const CollisionShape&, const Vec3<double>& n) = nullptr;
  // Computes the distance of a point from the surface of the shape, with its radius. null: the
  // general algorithm does.
  SurfacePoint (*distance)(const CollisionShape&, const Vec3<double>& p) = nullptr;
};

// Returns the row of a kind, or null for half spaces and height fields.
const ConvexTraits* convex_traits(ShapeKind kind);

}  // namespace torsor
