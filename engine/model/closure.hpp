#pragma once
// Closures: joints that close the loops of a mechanism. The joints of the tree have coordinates; a
// closure has none. It is a set of conditions on two frames A and B, which are fixed in two bodies.
// A new kind is an enumerator in this file and a row of the table in closure.cpp.
//
// The conditions use the vector d from the origin of A to that of B, and the axes of A and B:
//   displacement   a . d = 0                      a: an axis of A
//   orthogonality  a . b = 0                      b: an axis of B
//   length         |d| - L = 0
//   screw          z_A . d - h angle = 0          angle of B about z_A, from x_A to x_B
// Displacement, length and screw have the unit m, orthogonality has rad.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
  distance         // the origins have the distance L
};

struct ClosureCondition {
  enum class Form : unsigned char { displacement, orthogonality, length, screw } form;
  int a = 2, b = 2;  // axes of A and B: 0, 1 or 2 for x, y or z
};

struct ClosureTraits {
  ClosureKind kind;
  std::string_view name;
  std::span<const ClosureCondition> conditions;
  // The number that the kind needs: "pitch" (h, m/rad) or "length" (L, m); "" if it needs none.
  std::string_view parameter = "";
};
const ClosureTraits& traits(ClosureKind kind);
std::optional<ClosureKind> closure_kind(std::string_view name);
std::vector<std::string> closure_kind_names();

struct Closure {
  std::string name;
  ClosureKind kind;
  int body_A, body_B;
  Pose<double> X_BA, X_BB;  // poses of A and B in their bodies
  double parameter = 0;     // h or L
  std::string source = "";  // "file:line"; may be ""
};

}  // namespace torsor
