#pragma once
// The names of bodies, joints, geoms and sites. Bodies and joints without a name in the file get
// one:
//   body N      the name body<N>, with the number N that MuJoCo gives it: depth first, world is 0
//   joint N     the name joint<N>, depth first, the first is 0
// If another body or joint of the file has this name, "_2" is appended, or the next free number.

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "torsor/formats/mjcf/tree/replicate.hpp"

namespace torsor::mjcf {

class Names {
 public:
  // Collects the names in the file. Throws Error with file:line if two elements of a kind have the
  // same name, if a name is not plain text, if bodies are nested more than 1000 deep, or if there
  // are too many copies.
  Names(const Files& files, const Compilers& compilers);

  // Return the name of the next body or joint, in the order of MuJoCo. suffix: that of the copy.
  std::string next_body(const XMLElement& xml, const std::string& suffix);
  std::string next_joint(const XMLElement& xml, const std::string& suffix);
  // Returns a name for a link or frame that is not yet used: the given one, or with a number.
  std::string unique(const std::string& name);
  // The same for a collider. A rule for a name is for the link and the collider of this name, so
  // that these must differ. Frames may have the name of a collider.
  std::string unique_collider(const std::string& name);
  // The copies of the named elements.
  Copies copies;

 private:
  using Map = std::unordered_map<std::string, const XMLElement*>;
  struct Scope {
    Copies::Copy copy = {};
    int depth = 0;
  };
  void collect(const XMLElement& parent, const Scope& scope);
  void collect_element(const XMLElement& xml, const Scope& scope);
  void add(Named kind, const XMLElement& xml, const Copies::Copy& copy);
  [[noreturn]] void fail_twin(Named kind, const std::string& name, const XMLElement& second) const;

  const Files& files_;
  const Compilers& compilers_;
  Map names_[4];  // by Named: bodies, joints, geoms and sites
  std::vector<std::pair<Named, const XMLElement*>> copied_;
  size_t n_copied_ = 0;
  int order_ = 0;
  std::unordered_set<std::string> links_;  // names of links and frames
  std::unordered_set<std::string> generated_joints_, colliders_;
  int body_ = 0, joint_ = -1;
};

// Returns the attribute "name" of an element, or "" if there is none.
std::string name_of(const XMLElement& xml);
// Returns the name in a copy, or "" if there is none.
std::string name_of(const XMLElement& xml, const std::string& suffix);
// Returns the name of an element for messages: "joint 'elbow'", or "a joint" without a name.
std::string owner_of(const XMLElement& xml);

}  // namespace torsor::mjcf
