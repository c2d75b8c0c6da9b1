#pragma once
// <attach>: the names in an attached model, and its elements that refer to parts of it.

#include <unordered_set>

#include "torsor/formats/mjcf/files.hpp"

namespace torsor::mjcf {

// Prepends a prefix to all names in a file: those of elements and of classes, and references to
// them. A mesh without a name gets that of its file. "world" remains. Returns the number of
// elements.
size_t prefix_names(XMLElement& root, const std::string& prefix);

// Names of elements by kind: "body", "joint", "geom", "site", "tendon", "actuator".
class NameSets {
 public:
  // Adds the names in elements and in those that they contain, or attach.
  void add_tree(const Files& files, const std::vector<AttachedElement>& elements);
  void add(const std::string& kind, const XMLElement& xml);
  bool contains(const std::string& kind, const std::string& name) const;

 private:
  void add_element(const Files& files, const XMLElement& xml);
  std::unordered_set<std::string> names_;  // "KIND NAME"
};

// Returns whether an element, or one in it, refers to the world, or to a name in `whole` that is
// not in `part`.
bool refers_outside(const Files& files, const XMLElement& xml, const NameSets& whole,
                    const NameSets& part);

// Returns the elements of the worldbody of a model.
std::vector<AttachedElement> world_of(const Files& files, size_t model);

}  // namespace torsor::mjcf
