#pragma once
// Reads <geometry>, <material> and <surface> from an SDF file.

#include <optional>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/formats/sdf/loader.hpp"
#include "torsor/formats/xml/element.hpp"
#include "torsor/model/collider.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::sdf {

// Returns the shape of a <geometry>. Returns nullopt for a plane, and for the kinds of shapes that
// table.cpp marks as ignored. owner: the name of the enclosing element.
std::optional<Shape> read_shape(const xml::Element& geometry, const char* owner);
// Returns the shape of a <collision>, in the frame of its <geometry>, with the pose of the shape
// there. A mesh is its convex hull, and its file is read.
std::optional<CollisionShape> read_collision_shape(const xml::Element& geometry,
                                                   const MeshAccess& meshes, Pose<double>& X_GC);
// Returns the colour of a <visual>, or nullopt if it has none.
std::optional<Color> read_color(const xml::Element& visual);
// Returns the friction and restitution of a <collision>. loader: takes the words that are not used.
ContactMaterial read_surface(const xml::Element& collision, Loader& loader);

}  // namespace torsor::sdf
