#include "torsor/formats/sdf/frames.hpp"

#include <fmt/format.h>

#include <vector>

#include "torsor/base/error.hpp"

namespace torsor::sdf {

using xml::Element, xml::readable;

const void* Frame::id() const {
  if (scope) return scope;
  if (link) return link;
  if (frame) return frame;
  return joint;
}

namespace {

const Element& element_of(const Frame& frame) {
  if (frame.scope) return frame.scope->element;
  if (frame.link) return frame.link->element;
  if (frame.frame) return frame.frame->element;
  return frame.joint->element;
}

// Returns the scope whose names the contents of a scope have.
const Scope& owner_of(const Scope& scope) {
  const Scope* out = &scope;
  while (out->is_merged) out = out->parent;
  return *out;
}

bool same_kind(const Frame& a, const Frame& b) {
  return !a.scope == !b.scope && !a.link == !b.link && !a.frame == !b.frame && !a.joint == !b.joint;
}

std::string named_kind(const Frame& frame) {
  return frame.scope ? "model" : frame.link ? "link" : frame.frame ? "frame" : "joint";
}

}  // namespace

Frames::Frames(const Scope& world) : world_(world) {
  read_names(world);
}

// Adds a name. Before SDF 1.7, a joint could have the name of a link: the name is then that of the
// link, which is added first.
void Frames::add(const Scope& scope, Names& names, const std::string& name, const Frame& frame,
                 const Element& element) {
  ++n_frame_;
  const auto [found, is_new] = names.emplace(name, frame);
  if (is_new || (scope.version.is_before(7) && !same_kind(found->second, frame))) return;
  const Element& first = element_of(found->second);
  if (same_kind(found->second, frame))
    element.fail(
        fmt::format("there are two {}s of this name in {}, the first at {}; give each its "
                    "own name",
                    named_kind(frame), shown(scope), first.place()));
  element.fail(fmt::format("{} has a {} of this name at {}; give each its own name", shown(scope),
                           named_kind(found->second), first.place()));
}

void Frames::read_names(const Scope& scope) {
  Names& names = names_[&owner_of(scope)];
  for (const LinkNode& link : scope.links)
    add(scope, names, link.name, {.link = &link}, link.element);
  for (const auto& model : scope.models)
    if (model->is_merged)
      ++n_frame_;
    else
      add(scope, names, model->name, {.scope = model.get()}, model->element);
  for (const FrameNode& frame : scope.frames)
    add(scope, names, frame.name, {.frame = &frame}, frame.element);
  for (const JointNode& joint : scope.joints)
    add(scope, names, joint.name, {.joint = &joint}, joint.element);
  for (const auto& model : scope.models) read_names(*model);
}

Frame Frames::find(const Scope& scope, const std::string& name, const NamingPlace& place) const {
  if (name.empty() || (name == "__model__" && !scope.is_world())) return {.scope = &scope};
  if (name == "world" && scope.is_world()) return {.scope = &scope};
  const Scope* within = &scope;
  std::string rest = name;
  while (true) {
    const Names& names = names_.at(&owner_of(*within));
    if (const auto found = names.find(rest); found != names.end()) return found->second;
    if (rest == "__model__" && within != &scope) return {.scope = within};
    const size_t colons = rest.find("::");
    const auto model = names.find(rest.substr(0, colons));
    if (colons == rest.npos || model == names.end() || !model->second.scope) {
      std::vector<std::string> known;
      for (const auto& [each, frame] : names) known.push_back(each);
      place.document.fail(place.line,
                          fmt::format("{} names '{}', which is not a frame of {}{}", place.what,
                                      readable(name), shown(*within), did_you_mean(rest, known)));
    }
    within = model->second.scope;
    rest = rest.substr(colons + 2);
  }
}

// Returns the frame that relative_to of a pose names, or `otherwise`.
Frame Frames::named_reference(const Scope& scope, const WrittenPose& pose, const std::string& owner,
                              const Frame& otherwise) const {
  if (pose.relative_to.empty()) return otherwise;
  return find(scope, pose.relative_to, {*pose.document, pose.line, owner + ": the pose"});
}

// Returns the reference of a frame other than the world.
Frame Frames::reference_of(const Frame& frame) const {
  if (const Scope* model = frame.scope)
    return named_reference(*model->parent, model->pose, shown(*model), {.scope = model->parent});
  if (const LinkNode* link = frame.link)
    return named_reference(*link->scope, link->pose, fmt::format("link '{}'", link->name),
                           {.scope = link->scope});
  if (const JointNode* joint = frame.joint) {
    const std::string owner = fmt::format("joint '{}'", joint->name);
    if (!joint->pose.relative_to.empty())
      return named_reference(*joint->scope, joint->pose, owner, {});
    const Element child = joint->element.needed_child("child");
    return find(*joint->scope, joint->child, {child.document(), child.line(), owner + ": <child>"});
  }
  const FrameNode& node = *frame.frame;
  const std::string owner = fmt::format("frame '{}'", node.name);
  if (!node.pose.relative_to.empty()) return named_reference(*node.scope, node.pose, owner, {});
  return find(*node.scope, node.attached_to,
              {node.element.document(), node.element.line(), owner + ": attached_to"});
}

Frames::Step Frames::step(const Frame& frame, int level) const {
  const WrittenPose& pose = frame.scope   ? frame.scope->pose
                            : frame.link  ? frame.link->pose
                            : frame.frame ? frame.frame->pose
                                          : frame.joint->pose;
  Step out{reference_of(frame), pose.X};
  const Scope* model = frame.scope;
  if (!model || model->placement_frame.empty()) return out;
  const Element& element = model->element;
  const Frame placed =
      find(*model, model->placement_frame,
           {element.document(), element.line(), fmt::format("{}: placement_frame", shown(*model))});
  out.X_RF = out.X_RF * inverse(pose_within(placed, *model, level + 1));
  return out;
}

// Returns the pose of a frame within a model. Does not use the pose of the model.
Pose<double> Frames::pose_within(Frame frame, const Scope& model, int level) const {
  constexpr int most_levels = 100;
  if (level > most_levels) fail_loop({.scope = &model});
  Pose<double> X = Pose<double>::identity();
  for (size_t k = 0; frame.id() != &model; ++k) {
    if (k > n_frame_ || frame.id() == &world_) fail_loop({.scope = &model});
    const Step next = step(frame, level);
    X = next.X_RF * X;
    frame = next.reference;
  }
  return X;
}

void Frames::fail_loop(const Frame& frame) const {
  element_of(frame).fail(
      "the poses of frames refer to each other in a loop; begin at a frame whose pose is relative "
      "to its model");
}

Pose<double> Frames::pose_in_world(const Frame& frame) {
  // The chain of references from the frame to one whose pose is known.
  std::vector<std::pair<const void*, Pose<double>>> chain;
  Pose<double> X_WR = Pose<double>::identity();
  for (Frame at = frame; at.id() != &world_;) {
    if (const auto known = X_WF_.find(at.id()); known != X_WF_.end()) {
      X_WR = known->second;
      break;
    }
    if (chain.size() > n_frame_) fail_loop(frame);
    const Step next = step(at);
    chain.emplace_back(at.id(), next.X_RF);
    at = next.reference;
  }
  for (auto each = chain.rbegin(); each != chain.rend(); ++each) {
    X_WR = X_WR * each->second;
    X_WF_.emplace(each->first, X_WR);
  }
  return X_WR;
}

// Returns the frame to which a frame is attached. The frame is not a link.
Frame Frames::attachment(const Frame& frame) const {
  if (const JointNode* joint = frame.joint) {
    const Element child = joint->element.needed_child("child");
    return find(*joint->scope, joint->child,
                {child.document(), child.line(), fmt::format("joint '{}': <child>", joint->name)});
  }
  if (const FrameNode* node = frame.frame)
    return find(*node->scope, node->attached_to,
                {node->element.document(), node->element.line(),
                 fmt::format("frame '{}': attached_to", node->name)});
  const Scope& model = *frame.scope;
  if (model.is_merged) return {.scope = model.parent};
  if (!model.canonical_link.empty())
    return find(model, model.canonical_link,
                {model.element.document(), model.element.line(),
                 fmt::format("{}: canonical_link", shown(model))});
  if (!model.links.empty()) return {.link = &model.links.front()};
  for (const auto& nested : model.models)
    if (nested->is_merged && !nested->links.empty()) return {.link = &nested->links.front()};
  for (const auto& nested : model.models)
    if (!nested->is_merged) return {.scope = nested.get()};
  model.element.fail("it has no link, so that a frame cannot be attached to it; add a <link>");
}

const LinkNode* Frames::body(const Frame& frame) {
  std::vector<const void*> chain;  // frames that are attached to the same link
  const LinkNode* link = nullptr;
  for (Frame at = frame;;) {
    link = at.link;
    if (link || (at.scope && (at.scope->is_world() || is_fixed(*at.scope)))) break;
    if (const auto known = bodies_.find(at.id()); known != bodies_.end()) {
      link = known->second;
      break;
    }
    if (chain.size() > n_frame_)
      element_of(frame).fail(
          "it is attached to itself, by a loop of attached_to; attach a frame of the loop to a "
          "link");
    chain.push_back(at.id());
    at = attachment(at);
  }
  for (const void* each : chain) bodies_.emplace(each, link);
  return link;
}

}  // namespace torsor::sdf
