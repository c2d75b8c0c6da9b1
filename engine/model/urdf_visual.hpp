#pragma once
// What a URDF file says of the looks of its links: primitives, names of meshes, and colours.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "torsor/model/urdf_element.hpp"
#include "torsor/model/visual.hpp"

namespace torsor::urdf {

// The materials of a file: those of the <robot>, and those with a name that a <visual> defines for itself,
// which other visuals may name too.
class Materials {
 public:
  // The document must outlive this. Throws Error: two materials of the robot with one name.
  explicit Materials(const Document& document);

  // Of a <visual>: what its <material> says itself, else what the material of that name says.
  std::optional<Color> color_of(const Element& visual);
  // Names that were asked for and that nothing defines.
  const std::set<std::string>& undefined() const { return undefined_; }

 private:
  void define(const std::string& name, const Element& material);

  std::map<std::string, std::optional<Color>> colors_;  // none: a texture alone
  std::set<std::string> undefined_;
};

// The shapes of a link, but for those that the table ignores.
std::vector<VisualDescription> read_visuals(const Element& link, Materials& materials);

}  // namespace torsor::urdf
