#pragma once
// Colliders: the shapes of links and of the world that can touch, with the material of their
// surfaces.

#include <optional>
#include <string>
#include <utility>

#include "torsor/shapes/collision_shape.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor {

struct Model;

// The material of a surface, or the combined material of two surfaces that touch.
struct ContactMaterial {
  double mu = 0.5;         // coefficient of Coulomb friction
  double restitution = 0;  // normal velocity after an impact / before it, from 0 to 1
  // The largest moment of friction about the normal, and about axes in the tangential plane, as
  // lengths: m N, with the normal force N. In metres.
  double torsional = 0, rolling = 0;
  // Compliance: each contact point is a spring, N/m, with a damper, N s/m, along the normal. A
  // rigid surface has the stiffness 0, and no damping.
  double stiffness = 0, damping = 0;

  bool is_compliant() const { return stiffness > 0; }
};

// Returns the material of two surfaces that touch:
//   mu = sqrt(mu_a mu_b); restitution, torsional and rolling: the larger one
// The geometric mean keeps the mu of equal materials, and 0 if one surface has no friction. With
// the larger restitution and rolling friction, a ball keeps its own on every ground: only the ball
// needs the values. The result is the same for (a, b) and (b, a).
//
// Both surfaces transmit the same force: their springs and dampers are in series. With the rate s,
// 1 / (k + d s) = sum 1 / (k_i + d_i s). For slow changes, in the first order of s, this is
//   1/k = sum 1/k_i,   d = sum d_i (k / k_i)^2
// The division of the compression is k / k_i. A rigid surface, k_i = infinity, has no part in it.
ContactMaterial combine(const ContactMaterial& a, const ContactMaterial& b);

// Return the reason, with the number, why a material is not possible, or nullopt if it is.
// value_defect() checks each value alone. defect() also rejects damping without stiffness, and
// restitution with stiffness: the damping of a compliant surface decides how it rebounds.
std::optional<std::string> value_defect(const ContactMaterial& material);
std::optional<std::string> defect(const ContactMaterial& material);

struct CollisionDescription {
  std::string name = "";                         // "": LINK_1, LINK_2, ..
  Pose<double> X_LC = Pose<double>::identity();  // pose in the described link frame L
  CollisionShape shape;
  ContactMaterial material = {};
  std::string group = "";   // colliders of one group do not collide; "": none
  std::string source = "";  // "file:line"; "" means that of the link
};

// A rule for two things: links, colliders or groups, by name, or "world" for the world's own
// colliders.
struct CollisionPairDescription {
  std::string names[2];
  // States whether their colliders collide. nullopt: unchanged.
  std::optional<bool> collide = std::nullopt;
  // Replace the combined values.
  std::optional<double> mu = std::nullopt, restitution = std::nullopt, torsional = std::nullopt,
                        rolling = std::nullopt, stiffness = std::nullopt, damping = std::nullopt;
  std::string source = "";
};

struct Collider {
  std::string name;
  int body;           // 0: fixed in the world
  int link;           // index of Model::links; -1: a collider of the world itself
  Pose<double> X_BC;  // pose of the shape's frame C in the body
  CollisionShape shape;
  ContactMaterial material;
  int group;           // index of Model::collision_groups, or -1
  std::string source;  // "file:line"; may be ""
};

// Indices of two colliders, A < B.
using ColliderPair = std::pair<int, int>;

struct PairMaterial {
  ColliderPair pair;
  ContactMaterial material;
};

// Returns whether two colliders are tested for contact. These are not:
// - colliders of one body, or of one group
// - colliders of adjacent links, which a joint or a closure connects. Massless links without
//   colliders between them do not count. A link is not adjacent to the world's own colliders, nor
//   to links that its floating joint connects it to.
// - pairs that the description excludes
// A rule with collide = true overrides all but the first.
bool may_collide(const Model& model, int a, int b);

// Returns whether a model has two colliders that may collide.
bool has_contacts(const Model& model);

// Returns whether a collider or a rule for a pair is compliant.
bool has_compliance(const Model& model);

// Returns "'A' and 'B'", the names of two colliders for messages.
std::string pair_names(const Model& model, int a, int b);

// Returns the material of a pair of colliders: the combined one, with the values of the pair's
// rules.
ContactMaterial contact_material(const Model& model, int a, int b);

}  // namespace torsor
