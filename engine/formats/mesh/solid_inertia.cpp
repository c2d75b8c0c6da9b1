#include "torsor/formats/mesh/solid_inertia.hpp"

#include <fmt/format.h>

#include "torsor/base/error.hpp"
#include "torsor/base/text.hpp"
#include "torsor/shapes/shape_inertia.hpp"

namespace torsor {

namespace {

SpatialInertia<double> of_mesh(const MeshFile& mesh, double density, const MeshAccess& access) {
  try {
    return inertia_of(triangles_of(read_mesh(find_mesh(mesh, access)), mesh.scale), density);
  } catch (const Error& error) {
    throw Error(fmt::format("mesh '{}': {}", one_line(mesh.file), error.what()));
  }
}

}  // namespace

SpatialInertia<double> solid_inertia(const std::vector<VisualDescription>& shapes, double density,
                                     const MeshAccess& access) {
  auto sum = SpatialInertia<double>::zero();
  for (const VisualDescription& visual : shapes) {
    const auto* mesh = std::get_if<MeshFile>(&visual.shape);
    const SpatialInertia<double> M_V =
        mesh ? of_mesh(*mesh, density, access) : inertia_of(visual.shape, density);
    sum = sum + transform(visual.X_LV, M_V);
  }
  return sum;
}

SpatialInertia<double> solid_inertia_of_mass(const std::vector<VisualDescription>& shapes,
                                             double mass, const MeshAccess& access) {
  const SpatialInertia<double> M = solid_inertia(shapes, 1, access);
  return mass / M.m * M;
}

}  // namespace torsor
