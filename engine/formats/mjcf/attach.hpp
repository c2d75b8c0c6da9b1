#pragma once
// <attach>: the names in an attached model, and its elements that refer to parts of it.

#include <unordered_set>

#include "torsor/formats/mjcf/files.hpp"

namespace torsor::mjcf {

// Prepends a prefix to all names in a file: those of elements and of classes, and references to
// them. A mesh without a name gets that of its file. "world" remains. Returns the number of
// elements.
size_t prefix_names(XMLElement& root, const std::string& prefix);

// Returns the elements in a body, frame or <replicate>, or those that an <attach> adds; none for
// other elements. Adds the number of those that are copies to n_copied. Throws Error with file:line
// if it becomes too large.
std::vector<AttachedElement> inner_elements(const Files& files, const AttachedElement& outer,
                                            size_t& n_copied);

// Names of elements by kind: "body", "joint", "geom", "site", "tendon", "actuator".
class NameSets {
 public:
  // Adds the names in elements and in those that they contain, or attach. An element that
  // <replicate> copies has its name in the file and those of its copies. n_copied: see
  // inner_elements.
  void add_tree(const Files& files, std::vector<AttachedElement> elements, size_t& n_copied);
  void add(const std::string& kind, const XMLElement& xml);
  bool contains(const std::string& kind, const std::string& name) const;

 private:
  std::unordered_set<std::string> names_;  // "KIND NAME"
};

constexpr const char* world_outside = "the world of an attached model";
// Returns the first part of its model that an element, or one in it, refers to and that is not
// attached: one with a name in `whole` that is not in `part`, as "the joint 'x' that is not
// attached", or world_outside. Returns "" if there is none. As in MuJoCo, the world of a model with
// the prefix "" is that of the main file, and other models have none.
std::string part_outside(const Files& files, const XMLElement& xml, const NameSets& whole,
                         const NameSets& part);

// Returns the elements of the worldbody of a model.
std::vector<AttachedElement> world_of(const Files& files, size_t model);

}  // namespace torsor::mjcf
