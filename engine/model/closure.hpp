#pragma once
// Closures: conditions that close the loops of a mechanism, or couple its joints. The joints of the
// tree have coordinates; a closure has none. A new kind is an enumerator in this file and a row of
// the table in closure.cpp.
//
// Most kinds are joints between two frames A and B, which are fixed in two bodies. Their conditions
// use the vector d from the origin of A to that of B, and the axes of A and B:
//   displacement   a . d = 0                      a: an axis of A
//   orthogonality  a . b = 0                      b: an axis of B
//   tilt           k a . z_B = 0                  k = t / sin t, t: the angle from z_A to z_B
//   turn           angle = 0                      angle of B about z_A, from x_A to x_B
//   length         |d| - L = 0
//   screw          z_A . d - h angle = 0
// Displacement, length and screw have the unit m, the others have rad. Orthogonality also holds if
// b points the other way. Tilt and turn do not: the tilt is the angle by which z_B is off z_A.
//
// Gears, racks and cables couple joint coordinates p by one linear condition:
//   linear         sum c_i p_i - offset = 0
// Its rows are constant. Its unit is that of its first joint for a gear and a rack, and m for a
// cable.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "torsor/model/joint.hpp"
#include "torsor/spatial/pose.hpp"

namespace torsor {

enum class ClosureKind : unsigned char {
  weld,            // A and B coincide
  revolute,        // B turns about z_A
  prismatic,       // B slides along z_A
  screw,           // B turns about z_A and slides along it by h per radian
  cylindrical,     // B turns about z_A and slides along it
  universal,       // z_A and z_B intersect at right angles
  spherical,       // the origins coincide
  planar,          // B moves in the plane x_A y_A
  point_on_line,   // the origin of B is on z_A
  point_on_plane,  // the origin of B is in the plane x_A y_A
  distance,        // the origins have the distance L
  gear,            // p_1 - ratio p_2 = offset, or the same relative to a carrier
  rack,            // p_1 - radius p_2 = offset: the joint 1 slides, the joint 2 turns
  cable            // sum r_i p_i = offset
};

struct ClosureCondition {
  enum class Form : unsigned char {
    displacement,
    orthogonality,
    tilt,
    turn,
    length,
    screw,
    linear
  } form;
  int a = 2, b = 2;  // axes of A and B: 0, 1 or 2 for x, y or z
};

struct ClosureTraits {
  ClosureKind kind;
  std::string_view name;
  std::span<const ClosureCondition> conditions;
  // The joint of the tree with the same motion, which may have friction, springs and the like. A
  // universal closure is two revolute joints.
  std::optional<JointKind> joint = std::nullopt;
  // The number that the kind needs: "pitch" (h, m/rad), "length" (L, m), "ratio" or "radius" (m);
  // "" if it needs none.
  std::string_view parameter = "";
  bool in_metres = false;  // the unit of a linear condition is m, whatever its joints are
  bool is_linear() const { return conditions[0].form == ClosureCondition::Form::linear; }
};
const ClosureTraits& traits(ClosureKind kind);
std::optional<ClosureKind> closure_kind(std::string_view name);
std::vector<std::string> closure_kind_names();

// A term factor * p of a linear condition, where p is the coordinate whose rate is v[dof].
struct ClosureTerm {
  int dof;
  double factor;
};

// A closure with friction, springs or a motor is a joint of the tree: it carries one half of the
// inertia of a body, and the closure is the weld between both halves (building/cut_joints.hpp).
struct CutJoint {
  int joint;          // index in Model::joints of the first joint
  int body_A;         // the first frame of the closure as it was described: its body,
  Pose<double> X_BA;  // and its pose there
  bool is_A_cut;      // whether A is in the body that has two halves, instead of B
};

struct Closure {
  std::string name;
  ClosureKind kind;
  int body_A, body_B;       // 0 if the condition is linear
  Pose<double> X_BA, X_BB;  // poses of A and B in their bodies
  double parameter = 0;     // h, L or the offset of a linear condition
  std::string source = "";  // "file:line"; may be ""
  std::vector<ClosureTerm> terms = {};
  std::optional<CutJoint> cut = std::nullopt;
};

}  // namespace torsor
