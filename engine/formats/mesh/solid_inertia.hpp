#pragma once
// The inertia of a link whose shapes are filled with a material.

#include <vector>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/visual.hpp"
#include "torsor/spatial/inertia.hpp"

namespace torsor {

// Returns the sum of the inertias of the shapes in the link frame. Reads the files of meshes.
// density in kg/m^3. The common volume of shapes that overlap is counted for each. Throws Error
// with the name of the file if a mesh cannot be read or is not closed.
SpatialInertia<double> solid_inertia(const std::vector<VisualDescription>& shapes, double density,
                                     const MeshAccess& access);

// Returns the inertia with this total mass, in kg.
SpatialInertia<double> solid_inertia_of_mass(const std::vector<VisualDescription>& shapes,
                                             double mass, const MeshAccess& access);

}  // namespace torsor
