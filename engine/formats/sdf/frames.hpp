#pragma once
// Resolves the frames of an SDF file: names, poses and the links to which frames are attached.
//
// Each frame F is written relative to another frame, its reference R, by X_RF:
//   frame                     reference by default           other references
//   model or nested model     the frame of its parent        relative_to
//   link                      its model                      relative_to
//   joint                     its child                      relative_to
//   <frame>                   attached_to, or its model      relative_to
// The <pose> X_RP of a model with a placement_frame P is that of its frame P, so that
// X_RF = X_RP X_FP^-1. The pose in the world is the product along the references.

#include <string>
#include <unordered_map>

#include "torsor/formats/sdf/scope.hpp"
#include "torsor/formats/xml/document.hpp"

namespace torsor::sdf {

// A frame: a scope, a link, a <frame> or a joint. Exactly one pointer is set.
struct Frame {
  const Scope* scope = nullptr;
  const LinkNode* link = nullptr;
  const FrameNode* frame = nullptr;
  const JointNode* joint = nullptr;
  const void* id() const;  // unique for each frame
};

// The place in a file that names a frame. what: the beginning of a message, such as "link 'a':
// relative_to".
struct NamingPlace {
  const xml::Document& document;
  int line;
  std::string what;
};

class Frames {
 public:
  // Reads all names. world: must outlive this object. Throws Error if a scope has a name twice.
  explicit Frames(const Scope& world);

  // Returns the frame with a name in a scope, such as "link1", "arm::link1", "__model__" or
  // "world".
  // "" is the frame of the scope. Throws Error if there is none.
  Frame find(const Scope& scope, const std::string& name, const NamingPlace& place) const;
  // Returns the pose of a frame in the world. Throws Error if frames refer to each other in a loop.
  Pose<double> pose_in_world(const Frame& frame);
  // Returns the link to which a frame is attached, or null for the world. Throws Error as find(),
  // and for a model without a link.
  const LinkNode* body(const Frame& frame);

 private:
  using Names = std::unordered_map<std::string, Frame>;
  // A frame relative to its reference.
  struct Step {
    Frame reference;
    Pose<double> X_RF;
  };

  void read_names(const Scope& scope);
  void add(const Scope& scope, Names& names, const std::string& name, const Frame& frame,
           const xml::Element& element);
  Frame reference_of(const Frame& frame) const;
  Frame named_reference(const Scope& scope, const WrittenPose& pose, const std::string& owner,
                        const Frame& otherwise) const;
  // level: number of placement frames that are being resolved.
  Step step(const Frame& frame, int level = 0) const;
  Pose<double> pose_within(Frame frame, const Scope& model, int level) const;
  Frame attachment(const Frame& frame) const;
  [[noreturn]] void fail_loop(const Frame& frame) const;

  const Scope& world_;
  std::unordered_map<const Scope*, Names> names_;
  std::unordered_map<const void*, Pose<double>> X_WF_;
  std::unordered_map<const void*, const LinkNode*> bodies_;
  size_t n_frame_ = 0;
};

}  // namespace torsor::sdf
