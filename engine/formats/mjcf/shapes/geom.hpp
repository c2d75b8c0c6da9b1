#pragma once
// Geoms: the shapes of bodies, which give them inertia, visuals and colliders.

#include <array>
#include <map>

#include "torsor/formats/mjcf/shapes/mesh.hpp"
#include "torsor/model/collider.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::mjcf {

enum class GeomType : unsigned char {
  plane,
  hfield,
  sphere,
  capsule,
  ellipsoid,
  cylinder,
  box,
  mesh,
  sdf
};

// The parameters of contact of a geom. condim is the number of directions of friction: torsional
// friction from 4 on, and rolling friction from 6 on.
struct GeomContact {
  int contype = 1, conaffinity = 1;
  int priority = 0;
  int condim = 3;
  std::array<double, 3> friction{1, 0.005, 0.0001};  // sliding; torsional, m; rolling, m
};
// Returns the material of a geom. Its mu is that of the file, also if condim is 1: the other
// surface may have a larger one.
ContactMaterial material_of(const GeomContact& contact);

struct Geom {
  std::string name = "";  // may be ""
  GeomType type = GeomType::sphere;
  Pose<double> X_BG = Pose<double>::identity();  // in its body; of a mesh: of the mesh's frame
  std::optional<Shape> shape = std::nullopt;     // nullopt: plane, height field, mesh
  Mesh* mesh = nullptr;                          // of type mesh
  std::optional<double> mass = std::nullopt;     // kg; nullopt: from the density
  double density = 1000;                         // kg/m^3, or kg/m^2 of a shell
  bool shell = false;
  int group = 0;
  std::optional<Color> color = std::nullopt;
  GeomContact contact = {};
  bool is_paired = false;  // a <pair> names it
  std::string source;
};

// The objects that a reader of geoms needs. They must outlive it.
struct GeomContext {
  const Files& files;
  const Classes& classes;
  const Compilers& compilers;
  Meshes& meshes;
  std::map<std::string, Color> materials;
};
// Returns the colours of the materials of a file by name.
std::map<std::string, Color> read_materials(const Files& files, const Classes& classes);

// Reads a <geom>. Its pose is as in the file. Throws Error with file:line if its shape is
// impossible.
Geom read_geom(GeomContext& context, const XMLElement& xml, const std::string& childclass,
               const std::string& owner);
// Returns whether the mass of a geom follows from the density of a mesh by the rule `legacy`, with
// the volume of the box of the same inertia, as in MuJoCo 2.2.
bool has_legacy_mass(const Geom& geom);
// Returns the inertia in the frame of the body. Planes and height fields have none.
SpatialInertia<double> inertia_of(const Geom& geom);

// Returns the visual, or nullopt if the shape cannot be drawn.
std::optional<VisualDescription> visual_of(const Geom& geom);
// Returns the collider, or nullopt for a height field. Meshes become their convex hulls.
std::optional<CollisionDescription> collision_of(const Geom& geom);

}  // namespace torsor::mjcf
