#pragma once
// Reads the shapes and colours of links from a URDF file.

#include <map>
#include <string>
#include <vector>

#include "torsor/formats/mesh/mesh_file.hpp"
#include "torsor/formats/xml/element.hpp"
#include "torsor/model/collider.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::urdf {

// The materials of a file: materials of the <robot>, and named materials that are defined in a
// <visual>. A <visual> may refer to any of them by name.
class Materials {
 public:
  // Reads all materials of the document, which must outlive this object. Throws Error if two
  // materials of the <robot> have the same name.
  explicit Materials(const xml::Document& document);

  // Returns the colour of the <material> of a <visual>. If the <material> has no colour, returns
  // the colour of the defined material with its name. Returns nullopt if there is none.
  std::optional<Color> color_of(const xml::Element& visual);
  // Returns the names of materials that were used but not defined, each with the line of its first
  // use.
  const std::map<std::string, int>& undefined() const { return undefined_; }

 private:
  void define(const std::string& name, const xml::Element& material);

  std::map<std::string, std::optional<Color>> colors_;  // nullopt: the material has only a texture
  std::map<std::string, int> undefined_;
};

// Returns the colliders of a link. Reads the files of meshes, of which the convex hull is used. A
// shape that table.cpp marks as ignored is left out. Throws Error with file:line if a mesh cannot
// be read or has no volume.
std::vector<CollisionDescription> read_collisions(const xml::Element& link,
                                                  const MeshAccess& meshes);

// Returns the shapes of a link. Kinds of shapes that table.cpp marks as ignored are left out.
std::vector<VisualDescription> read_visuals(const xml::Element& link, Materials& materials);

}  // namespace torsor::urdf
