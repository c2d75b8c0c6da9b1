#pragma once
// <replicate>: copies of elements of the tree, and of the elements elsewhere that refer to them.
//
// The names in copy k get the suffix SEP + k, with as many digits as `count`. The suffix of an
// inner <replicate> comes first.

#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "torsor/formats/mjcf/compiler.hpp"

namespace torsor::mjcf {

// The suffix of the names in a copy, and the pose of the copy in the frame around <replicate>.
struct Replica {
  std::string suffix;
  Pose<double> X;
};
// Returns the copies of a <replicate>. The copy k + 1 is moved by `offset` in the frame of the copy
// k. Its rotation is that of k + 1 times `euler`, in the frame around <replicate>. Throws Error
// with file:line if there are too many.
std::vector<Replica> read_replicas(const Files& files, const XMLElement& xml,
                                   const Compiler& compiler);

// The kinds of elements that others refer to by name.
enum class Named : unsigned char { body, joint, geom, site, tendon };

// The names in the file whose elements have copies, with the suffixes of these copies.
class Copies {
 public:
  // order: number of the innermost copy of <replicate>, in the order in which MuJoCo makes them,
  // from 1.
  struct Copy {
    std::string suffix;
    int order = 0;
  };
  // A reference by an attribute, which may be missing.
  struct Reference {
    Named kind;
    const char* attribute;
  };

  void add(Named kind, const std::string& name, Copy copy);
  bool empty() const { return copies_.empty(); }
  bool contains(Named kind, const std::string& name) const;
  // Returns the copies of an element with these references, in their order. An element that refers
  // to no copied element has one copy without a suffix. An element that refers to copied elements
  // has a copy for each <replicate> that copies all of them. If there is none, the element is noted
  // in `files`.
  std::vector<Copy> of(Files& files, const xml::Element& element,
                       std::initializer_list<Reference> references);
  // The same for names that are not attributes of the element.
  std::vector<Copy> of(Files& files, const xml::Element& element,
                       const std::vector<std::pair<Named, std::string>>& names);

 private:
  std::map<std::pair<Named, std::string>, std::vector<Copy>> copies_;
  size_t made_ = 0;
};

}  // namespace torsor::mjcf
