#include "torsor/contact/pair.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace torsor {

namespace {

struct PairRow {
  Separation (*separate)(PairMemory&, const PlacedShape&, const PlacedShape&);
  void (*add_points)(PairMemory&, const PlacedShape&, const PlacedShape&, double margin);
};

Separation separate_convex(PairMemory& memory, const PlacedShape& a, const PlacedShape& b) {
  return memory.solver.solve(a, b);
}

// Adds the overlap of the features along the direction that the row's `separate` finds.
template <Separation (*separate)(PairMemory&, const PlacedShape&, const PlacedShape&)>
void add_features(PairMemory& memory, const PlacedShape& a, const PlacedShape& b, double margin) {
  const Separation separation = separate(memory, a, b);
  if (separation.gap < margin) add_overlap(a, b, separation, margin, memory.candidates);
}

constexpr PairRow none{nullptr, nullptr}, general{separate_convex, add_features<separate_convex>},
    half_space{separate_half_space, add_half_space_points},
    sphere{separate_sphere, add_features<separate_sphere>},
    capsules{separate_capsules, add_capsule_points},
    boxes{separate_boxes, add_features<separate_boxes>},
    field{separate_height_field, add_height_field_points};

// Rows: the first kind, in the order of ShapeKind. Columns: the second kind, from that of the row
// on.
constexpr std::array<PairRow, 9> pairs[] = {
    {none, half_space, half_space, half_space, half_space, half_space, half_space, half_space,
     none},
    {none, sphere, sphere, sphere, sphere, general, sphere, general, field},
    {none, none, boxes, general, general, general, general, general, field},
    {none, none, none, capsules, general, general, general, general, field},
    {none, none, none, none, general, general, general, general, field},
    {none, none, none, none, none, general, general, general, field},
    {none, none, none, none, none, none, general, general, field},
    {none, none, none, none, none, none, none, general, field},
    {none, none, none, none, none, none, none, none, none}};
static_assert(std::size(pairs) == n_shape_kind);

const PairRow& row(const CollisionShape& a, const CollisionShape& b) {
  return pairs[size_t(std::min(a.kind, b.kind))][size_t(std::max(a.kind, b.kind))];
}

}  // namespace

bool has_separation(const CollisionShape& a, const CollisionShape& b) {
  return row(a, b).separate;
}

Separation separate(PairMemory& memory, const PlacedShape& a, const PlacedShape& b) {
  const PairRow& pair = row(*a.shape, *b.shape);
  if (a.shape->kind <= b.shape->kind) return pair.separate(memory, a, b);
  Separation out = pair.separate(memory, b, a);
  out.n_W = -out.n_W;
  return out;
}

void find_contact(PairMemory& memory, const PlacedShape& a, const PlacedShape& b, double margin,
                  Contact& out) {
  const PairRow& pair = row(*a.shape, *b.shape);
  memory.candidates.clear(a.size > 0 && b.size > 0 ? std::min(a.size, b.size)
                                                   : std::max(a.size, b.size));
  const bool swapped = a.shape->kind > b.shape->kind;
  pair.add_points(memory, swapped ? b : a, swapped ? a : b, margin);
  memory.candidates.choose(out);
  if (!swapped) return;
  for (int k = 0; k < out.count; ++k) out.points[size_t(k)].n_W = -out.points[size_t(k)].n_W;
}

}  // namespace torsor
