#pragma once
// The names of bodies, joints and sites. Those without a name in the file get one:
//   body N      the name body<N>, with the number N that MuJoCo gives it: depth first, world is 0
//   joint N     the name joint<N>, depth first, the first is 0
// If another body or joint of the file has this name, "_2" is appended, or the next free number.

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "torsor/formats/mjcf/files.hpp"

namespace torsor::mjcf {

class Names {
 public:
  // Collects the names in the file. Throws Error with file:line if two bodies or two joints have
  // the same name, or if bodies are nested more than 1000 deep.
  explicit Names(const Files& files);

  // Return the name of the next body or joint, in the order of MuJoCo.
  std::string next_body(const XMLElement& xml);
  std::string next_joint(const XMLElement& xml);
  // Returns a name for a link or frame that is not yet used: the given one, or with a number.
  std::string unique(const std::string& name);

 private:
  void collect(const Files& files, const XMLElement& parent, int depth);

  std::unordered_map<std::string, const XMLElement*> bodies_, joints_;
  std::unordered_set<std::string> links_;  // names of links and frames
  std::unordered_set<std::string> generated_joints_;
  int body_ = 0, joint_ = -1;
};

// Returns the attribute "name" of an element, or "" if there is none.
std::string name_of(const XMLElement& xml);
// Returns the name of an element for messages: "joint 'elbow'", or "a joint" without a name.
std::string owner_of(const XMLElement& xml);

}  // namespace torsor::mjcf
