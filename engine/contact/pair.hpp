#pragma once
// The separation and the contact points of two shapes of any kinds.
//
// Each pair of kinds has a row with its closed form, or the general algorithm: the direction of
// least separation by GJK and EPA (separation.hpp), and the corners of the overlap of both features
// along it (manifold.hpp).

#include "torsor/contact/manifold.hpp"

namespace torsor {

// Memory for the algorithms. One thread uses it at a time.
struct PairMemory {
  SeparationSolver solver;
  ConvexHull triangle{{{}, {}, {}}, {}, {}, {}};  // a triangle of a height field
  ContactCandidates candidates;
};

// Returns whether the pair has a separation: at least one shape is bounded.
bool has_separation(const CollisionShape& a, const CollisionShape& b);

// Returns the separation of two shapes with has_separation(). Does not allocate memory.
Separation separate(PairMemory& memory, const PlacedShape& a, const PlacedShape& b);

// Computes up to four contact points with a gap below the margin. Does not set the indices of the
// colliders. Does not allocate memory.
void find_contact(PairMemory& memory, const PlacedShape& a, const PlacedShape& b, double margin,
                  Contact& out);

// The closed forms. The first shape is that of the first name.

Separation separate_half_space(PairMemory&, const PlacedShape& half_space, const PlacedShape& b);
void add_half_space_points(PairMemory&, const PlacedShape& half_space, const PlacedShape& b,
                           double margin);
// b: a shape whose row has a distance.
Separation separate_sphere(PairMemory&, const PlacedShape& sphere, const PlacedShape& b);
Separation separate_capsules(PairMemory&, const PlacedShape& a, const PlacedShape& b);
void add_capsule_points(PairMemory&, const PlacedShape& a, const PlacedShape& b, double margin);
Separation separate_boxes(PairMemory& memory, const PlacedShape& a, const PlacedShape& b);
Separation separate_height_field(PairMemory& memory, const PlacedShape& a,
                                 const PlacedShape& field);
void add_height_field_points(PairMemory& memory, const PlacedShape& a, const PlacedShape& field,
                             double margin);

}  // namespace torsor
