#pragma once
// The models of an SDF file as they are written: the names, poses and elements of their links,
// frames and joints, with the models that they include.

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "torsor/formats/sdf/values.hpp"
#include "torsor/formats/xml/element.hpp"

namespace torsor::sdf {

// The version of the format that a file states.
struct Version {
  int major = 1, minor = 12;
  bool is_before(int other) const { return minor < other; }  // of the versions 1.x
};

struct Scope;

struct LinkNode {
  std::string name;
  const Scope* scope;
  xml::Element element;
  WrittenPose pose;
};
struct FrameNode {
  std::string name;
  const Scope* scope;
  xml::Element element;
  std::string attached_to;  // "": the model or the world
  WrittenPose pose;
};
struct JointNode {
  std::string name;
  const Scope* scope;
  xml::Element element;
  std::string type;
  std::string parent, child;  // frames
  WrittenPose pose;
};

// A <model> or <world>. The scope of a file with only a <model> is a world that the file does not
// name.
struct Scope {
  std::string name;
  const Scope* parent = nullptr;  // null for a world
  xml::Element element;           // the <model> or <world>
  Version version = {};
  bool is_named = true;    // false: the names of its contents do not begin with its name
  bool is_merged = false;  // true: the names of its contents are names of the parent
  bool is_static = false;  // stated by its <static>; see is_fixed()
  std::string canonical_link = "", placement_frame = "";
  WrittenPose pose = {};
  std::deque<LinkNode> links = {};
  std::deque<FrameNode> frames = {};
  std::deque<JointNode> joints = {};
  std::vector<std::unique_ptr<Scope>> models = {};

  bool is_world() const { return parent == nullptr; }
};

// Returns the name of something in a scope, as the robot has it: "MODEL::NESTED::NAME".
std::string scoped_name(const Scope& scope, const std::string& name);
// Returns whether a model is static, or is nested in one that is.
bool is_fixed(const Scope& scope);
// Returns "model 'm'" or "the world".
std::string shown(const Scope& scope);

}  // namespace torsor::sdf
