#pragma once
// Contacts between colliders.

#include <array>
#include <cstdint>
#include <span>

#include "torsor/spatial/vec3.hpp"

namespace torsor {

// A pair of points on two surfaces that touch, or nearly touch. All vectors are in the axes of the
// world.
//   p_A = p_W - gap / 2 n_W: the point on the surface of A
//   p_B = p_W + gap / 2 n_W: the point on the surface of B
struct ContactPoint {
  Vec3<double> p_W;  // midpoint between both points, m
  Vec3<double> n_W;  // unit normal from A to B
  double gap;        // m; negative if the colliders overlap
  // Identifies the point from step to step: it is the same as long as the same corners and edges of
  // the shapes touch. Unique in its contact.
  uint32_t id;
};

// The contact of two colliders, with up to four points. The first one has the least gap.
struct Contact {
  int a = 0, b = 0;  // indices of Model::colliders, a < b
  int count = 0;
  std::array<ContactPoint, 4> points{};

  std::span<const ContactPoint> list() const { return {points.data(), size_t(count)}; }
};

// The signed distance of two colliders.
struct ColliderDistance {
  int a = 0, b = 0;  // indices of Model::colliders, as asked for
  // m. If the colliders overlap: minus the length of the shortest translation that separates them.
  double distance = 0;
  Vec3<double> p_A{}, p_B{};  // the nearest points of the surfaces, in the world, m
  Vec3<double> n_W{};         // unit normal from A to B: p_B = p_A + distance n_W
};

}  // namespace torsor
