#pragma once
// Inertias of bodies of constant density.

#include "torsor/shapes/shape.hpp"
#include "torsor/shapes/triangles.hpp"
#include "torsor/spatial/inertia.hpp"

namespace torsor {

// Returns the inertia of a solid shape in its frame V (JIN 33; the integrals of MR 9.2.1). density
// in kg/m^3. The shape must be possible (defect()), and no mesh.
SpatialInertia<double> inertia_of(const Shape& shape, double density);

// Returns the inertia of the solid inside a closed surface, in the frame of its vertices. density
// in kg/m^3. The result is exact for the polyhedron, up to rounding of the inertia about the
// origin. All triangles may be the wrong way round: then their corners are clockwise, seen from
// outside. A surface inside another part, with the opposite orientation, is a cavity. Where parts
// overlap, their masses add. Throws Error if the surface is open, with the place of the hole, if
// its orientation is inconsistent, or if it encloses no volume.
SpatialInertia<double> inertia_of(const Triangles& surface, double density);

}  // namespace torsor
