#pragma once
// Reads the shapes and colours of links from a URDF file.

#include <map>
#include <string>
#include <vector>

#include "torsor/formats/urdf/element.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::urdf {

// The materials of a file: those of the <robot>, and named ones that a <visual> defines, which
// other visuals may use.
class Materials {
 public:
  // Reads all materials. The document must outlive this object. Throws Error if two materials of
  // the <robot> have the same name.
  explicit Materials(const Document& document);

  // Returns the colour in the <material> of a <visual>. If there is none, returns the colour of the
  // material with the same name.
  std::optional<Color> color_of(const Element& visual);
  // Returns the names that were used and are not defined, each with its first line.
  const std::map<std::string, int>& undefined() const { return undefined_; }

 private:
  void define(const std::string& name, const Element& material);

  std::map<std::string, std::optional<Color>> colors_;  // nullopt: it has only a texture
  std::map<std::string, int> undefined_;
};

// Returns the shapes of a link, except those that the table ignores.
std::vector<VisualDescription> read_visuals(const Element& link, Materials& materials);

}  // namespace torsor::urdf
