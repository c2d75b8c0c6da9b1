#pragma once
// The meshes of an MJCF file, and their mass and inertia.

#include <map>

#include "torsor/formats/mjcf/compiler.hpp"
#include "torsor/shapes/triangles.hpp"
#include "torsor/spatial/inertia.hpp"

namespace torsor::mjcf {

// The inertia of the solid inside a mesh, or of its surface, with mass 1.
struct MeshInertia {
  SpatialInertia<double> unit;  // in the frame of the mesh
  double amount;      // volume, m^3, or area, m^2: the mass is the density multiplied by it
  Pose<double> X_MB;  // the principal axes at the COM; z has the smallest moment
  Vec3<double> box;   // half edges of the box with the same mass and moments, along these axes
};

class Mesh {
 public:
  Mesh(const Values& values, const Files& files, const Compiler& compiler,
       const MeshAccess& access);

  // Returns true if MuJoCo generates the mesh, which the engine cannot do.
  bool is_generated() const { return element_.has("builtin"); }
  // Returns the triangles, in m. Reads the file at the first call. Throws Error with file:line.
  const Triangles& triangles();
  // Throws Error with file:line if the mesh has no volume, or no area.
  const MeshInertia& inertia(bool shell);
  // Returns the file with its scale, and the pose in the frame M of the mesh of the frame of the
  // scaled file. Returns nullopt if the mesh has no file, or if a rotation makes its scale
  // impossible.
  std::optional<std::pair<MeshFile, Pose<double>>> visual() const;
  // How the volume is computed: by <compiler exactmeshinertia>, or the attribute `inertia`.
  enum class Rule : unsigned char { legacy, exact, convex, shell };
  Rule rule() const { return rule_; }

 private:
  Triangles read() const;
  void hull(Triangles& out) const;
  void place(Triangles& out) const;
  [[noreturn]] void fail(const std::string& text) const;

  xml::Element element_;
  MeshAccess access_;
  MeshFile file_;  // file "": the vertices are in the element
  Vec3<double> scale_, refpos_;
  Mat3<double> refquat_;
  Rule rule_;
  std::optional<Triangles> triangles_;
  std::optional<MeshInertia> inertia_[2];  // of the solid, of the shell
};

class Meshes {
 public:
  Meshes(const Files& files, const Classes& classes, const Compilers& compilers,
         const MeshAccess& access);
  // Returns the mesh of an element's attribute `mesh`. Throws Error if there is none of this name.
  Mesh& find(const xml::Element& element);

 private:
  std::map<std::string, Mesh> meshes_;
};

}  // namespace torsor::mjcf
