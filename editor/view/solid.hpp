#pragma once
// What pictures are made of: a few unit meshes, stretched and placed.

#include <array>
#include <optional>
#include <span>

#include "editor/view/camera.hpp"
#include "editor/view/surface.hpp"
#include "torsor/model/visual.hpp"
#include "torsor/spatial/inertia.hpp"

namespace torsor::editor {

// Centred at the origin of the solid's frame S: a box of edge 1, a cylinder along z of radius 1 and
// length 1, a ball of radius 1; and the triangles of a file, whose frame is S.
enum class Mesh { box, cylinder, sphere, surface };
constexpr int n_mesh = 3;  // that are the same for all solids

struct Solid {
  Mesh mesh;
  Pose<double> X;     // of S in the frame that the context names
  Vec3<double> size;  // the mesh is stretched by it along the axes of S
  double taper = 1;   // a cylinder's radius at +z by that at -z; 0: a cone
  Color color{1, 1, 1, 1};
  int link = -1;                     // whose it is; -1: nothing that can be selected
  const Surface* surface = nullptr;  // of Mesh::surface; its owner keeps it
};

// Of a shape whose frame is V; nothing of a mesh, whose triangles its file has.
std::optional<Solid> solid(const Shape& shape, const Pose<double>& X_V);
// Corners of the box about it.
std::array<Vec3<double>, 8> box_corners(const Solid& solid);
// A round bar from a to b with these radii at its ends.
Solid bar(const Vec3<double>& a, const Vec3<double>& b, double radius_a, double radius_b);

// The solid ellipsoid of constant density with this mass, centre and inertia: semi-axes a_i with m
// (a_j^2 + a_k^2) / 5 = I_i, one that comes out below 0 being 0. Its X is in the frame of the
// inertia; nothing where there is no mass.
std::optional<Solid> inertia_ellipsoid(const SpatialInertia<double>& inertia);

struct Hit {
  int index;        // of the solid
  double distance;  // m along the ray
};
// The first solid that the ray meets.
std::optional<Hit> pick(const Ray& ray, std::span<const Solid> solids);

}  // namespace torsor::editor
