#pragma once
// The mass and inertia of a mesh by the rules of MuJoCo.

#include "torsor/formats/mjcf/shapes/mesh.hpp"

namespace torsor::mjcf {

// Returns the inertia of the solid inside triangles by one of these rules, or of their surface if
// `shell` is true:
//   exact    the signed sum over the tetrahedra between a point and each triangle
//   legacy   the sum of their absolute values, which is too large if the solid is not convex
// Returns nullopt if the volume, m^3, or the area, m^2, is less than 1e-15.
std::optional<MeshInertia> mesh_inertia(const Triangles& triangles, bool exact, bool shell);

}  // namespace torsor::mjcf
