#pragma once
// Convex hulls of points, as polyhedra whose coplanar triangles are merged into polygons.

#include <cstdint>
#include <span>
#include <vector>

#include "torsor/spatial/vec3.hpp"

namespace torsor {

// A convex polyhedron. The corners of face f are corners[face_begin[f] .. face_begin[f + 1]),
// counter-clockwise as seen from outside.
struct ConvexHull {
  std::vector<Vec3<double>> vertices;  // m
  std::vector<uint32_t> face_begin;    // [number of faces + 1]
  std::vector<uint32_t> corners;       // indices of vertices
  std::vector<Vec3<double>> normals;   // outward unit normal of each face

  size_t n_face() const { return normals.size(); }
  std::span<const uint32_t> face(size_t f) const {
    return std::span(corners).subspan(face_begin[f], face_begin[f + 1] - face_begin[f]);
  }
};

// Returns the convex hull of points (quickhull; Barber, Dobkin and Huhdanpaa, 1996). Neighbouring
// triangles are one face if they are flat to 1e-6 of the size of the hull. Throws Error with the
// reason, in one sentence, if a coordinate is not finite or if the hull has no volume.
ConvexHull convex_hull(std::span<const Vec3<double>> points);

}  // namespace torsor
