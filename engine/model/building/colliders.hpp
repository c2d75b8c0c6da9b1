#pragma once
// Colliders and the rules of their pairs. Only the builder uses this header.

#include "torsor/model/builder.hpp"

namespace torsor {

// Throws Error if a collision of a link, or of the world, has an impossible shape, material or
// pose. owner: for messages, such as "link 'arm'". number: its place in the owner's list, from 1.
void check_collision(const std::string& owner, const CollisionDescription& collision, size_t number,
                     const std::string& source);

// Adds the colliders of a link. prefix: of the names of the robot in the model. link: index in
// Model::links, or -1 for the world, whose frame is X_BL. source: "file:line" of the link.
void add_colliders(const std::vector<CollisionDescription>& collisions, const std::string& owner,
                   const std::string& source, const std::string& prefix, int link, int body,
                   const Pose<double>& X_BL, Model& model);

// A rule, and the prefix of the names in it.
struct PrefixedPair {
  CollisionPairDescription rule;
  std::string prefix;
};
// Sets the pairs of colliders that do not collide, those that do in spite of this, and the
// materials of pairs. Later rules override earlier ones. Throws Error for names that do not exist.
void add_collision_pairs(const std::vector<PrefixedPair>& rules, Model& model);

}  // namespace torsor
