#pragma once
// The solids of a picture: unit meshes, each with a pose, a scale and a colour.

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "editor/view/camera.hpp"
#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/model/visual.hpp"
#include "torsor/spatial/inertia.hpp"

namespace torsor::editor {

// The unit meshes, centred at the origin of the solid's frame S: a box with edge 1, a cylinder
// along z with radius 1 and length 1, a sphere with radius 1. A surface consists of the triangles
// of a file, whose frame is S.
enum class Mesh { box, cylinder, sphere, surface };
constexpr int n_mesh = 3;  // number of unit meshes, without surface

struct Solid {
  Mesh mesh;
  Pose<double> X;     // pose of S in the frame that the context specifies
  Vec3<double> size;  // scale factors along the axes of S
  double taper = 1;   // a cylinder's radius at +z divided by its radius at -z; 0: a cone
  Color color{1, 1, 1, 1};
  int link = -1;                     // index of its link; -1: none, not selectable
  const Surface* surface = nullptr;  // for Mesh::surface; not owned
};

// Returns the solids of a shape at pose X_V: three for a capsule, none for a mesh file.
std::vector<Solid> solids(const Shape& shape, const Pose<double>& X_V);
// Returns the corners of the solid's bounding box, whose edges are along the axes of S. The corners
// are in the frame of Solid::X.
std::array<Vec3<double>, 8> box_corners(const Solid& solid);
// Returns a round bar from a to b with these radii at its ends.
Solid bar(const Vec3<double>& a, const Vec3<double>& b, double radius_a, double radius_b);

// Returns the ellipsoid of constant density with this mass, centre of mass and inertia. Its
// semi-axes a_i satisfy m (a_j^2 + a_k^2) / 5 = I_i; a negative a_i^2 is set to 0. Solid::X is its
// pose in the frame of the inertia. Returns nullopt if there is no mass.
std::optional<Solid> inertia_ellipsoid(const SpatialInertia<double>& inertia);

struct Hit {
  int index;        // index of the solid
  double distance;  // m along the ray
};
// Returns the first solid that the ray hits, or nullopt.
std::optional<Hit> pick(const Ray& ray, std::span<const Solid> solids);

}  // namespace torsor::editor
