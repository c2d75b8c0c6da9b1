#include "torsor/formats/sdf/tree.hpp"

#include <utility>

namespace torsor::sdf {

namespace {

// Returns whether the motion of a joint seen from its child has the same coordinates.
bool is_reversible(const JointType& type) {
  return type.n_axis > 0 || traits(type.kind).n_v == 0;
}

}  // namespace

Tree::Tree(const std::vector<const LinkNode*>& links, const std::vector<Joint>& joints)
    : joints_(joints), branches_(links.size()), in_tree_(joints.size(), 0) {
  const int world = int(links.size());
  for (int i = 0; i <= world; ++i) sets_.push_back(i);
  for (int i = 0; i < world; ++i) {
    index_.emplace(links[size_t(i)], i);
    if (!is_fixed(*links[size_t(i)]->scope)) continue;
    branches_[size_t(i)].is_fixed = true;
    sets_[size_t(i)] = world;
  }
  std::vector<size_t> others;
  for (size_t j = 0; j < joints.size(); ++j)
    if (joints[j].type && !attach(index(joints[j].child), index(joints[j].parent), j, false))
      others.push_back(j);
  for (const size_t j : others)
    if (!is_reversible(*joints[j].type) ||
        !attach(index(joints[j].parent), index(joints[j].child), j, true))
      closing_.push_back(j);
}

// Returns the representative of a set, and shortens the path to it.
int Tree::set_of(int link) {
  int root = link == none ? int(sets_.size()) - 1 : link;
  while (sets_[size_t(root)] != root) root = sets_[size_t(root)];
  for (int at = link; at != none && at != root;) at = std::exchange(sets_[size_t(at)], root);
  return root;
}

// Attaches a link to a parent, if it is the root of another tree.
bool Tree::attach(int link, int parent, size_t joint, bool reversed) {
  if (link == none || !floats(size_t(link)) || set_of(link) == set_of(parent)) return false;
  branches_[size_t(link)].joint = int(joint);
  branches_[size_t(link)].reversed = reversed;
  sets_[size_t(set_of(link))] = set_of(parent);
  in_tree_[joint] = 1;
  return true;
}

int Tree::parent(size_t link) const {
  const Branch& branch = branches_[link];
  if (branch.joint == none) return none;
  const Joint& joint = joints_[size_t(branch.joint)];
  return index(branch.reversed ? joint.child : joint.parent);
}

int Tree::base(int link) const {
  while (link != none) {
    const Branch& branch = branches_[size_t(link)];
    if (branch.is_fixed) return none;
    if (branch.joint == none || joints_[size_t(branch.joint)].type->kind != JointKind::fixed) break;
    link = parent(size_t(link));
  }
  return link;
}

}  // namespace torsor::sdf
