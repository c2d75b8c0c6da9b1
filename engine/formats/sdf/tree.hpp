#pragma once
// Selects the joints that form the tree of a robot, and those that close its loops.
//
// An SDF file is a graph: links may be the children of several joints, or of none. The tree is
// found in two passes over the joints, in the order of the file:
// 1. A joint attaches its child to its parent, unless the child has a parent already or the parent
//    is below the child.
// 2. Of the other joints, one between two trees attaches its parent, if that is the root of its
//    tree, to its child: the joint is reversed. Ball joints cannot be reversed, because q would be
//    that of the parent relative to the child.
// The remaining joints close loops. A link without a parent then floats.

#include <unordered_map>
#include <vector>

#include "torsor/formats/sdf/joint.hpp"

namespace torsor::sdf {

class Tree {
 public:
  static constexpr int none = -1;
  // The place of a link in the tree.
  struct Branch {
    int joint = none;       // index of the joint that carries the link; none: it floats or is fixed
    bool reversed = false;  // true: the link is the <parent> of this joint
    bool is_fixed = false;  // true: a link of a static model, without a joint
  };

  // links and joints must outlive this object.
  Tree(const std::vector<const LinkNode*>& links, const std::vector<Joint>& joints);

  const Branch& branch(size_t link) const { return branches_[link]; }
  // Returns whether a link has neither a parent nor a place in the world.
  bool floats(size_t link) const {
    return branches_[link].joint == none && !branches_[link].is_fixed;
  }
  // Indices of the joints that close loops.
  const std::vector<size_t>& closing() const { return closing_; }
  // Returns whether a joint is in the tree.
  bool has(size_t joint) const { return in_tree_[joint]; }
  int index(const LinkNode* link) const { return link ? index_.at(link) : none; }
  // Returns the index of the tree's parent of a link, or none for the world.
  int parent(size_t link) const;
  // Returns the first link of the rigid body to which a link belongs, or none for the world. All
  // other links of the body are fixed to it by joints of the tree.
  int base(int link) const;

 private:
  int set_of(int link);
  bool attach(int link, int parent, size_t joint, bool reversed);

  const std::vector<Joint>& joints_;
  std::unordered_map<const LinkNode*, int> index_;
  std::vector<Branch> branches_;
  std::vector<char> in_tree_;
  std::vector<size_t> closing_;
  std::vector<int> sets_;  // disjoint sets of links that are in one tree; the last is the world
};

}  // namespace torsor::sdf
