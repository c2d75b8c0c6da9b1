#pragma once
// Contact points of two convex shapes whose normal is known.

#include "torsor/contact/contact.hpp"
#include "torsor/contact/separation.hpp"

namespace torsor {

// Points from which up to four are chosen.
class ContactCandidates {
 public:
  // size: of the shapes, m. Lengths of less than about 1e-6 of it are rounding.
  void clear(double size) {
    count_ = 0;
    size_ = size;
  }
  // Ignores points beyond the margin. If there are too many points, keeps those that choose()
  // returns.
  void add(const ContactPoint& point, double margin);
  std::span<const ContactPoint> list() const { return {points_.data(), count_}; }

  // Chooses the point with the least gap, then those that span the largest area. Points that are
  // nearer to each other than rounding are one.
  void choose(Contact& out) const;

 private:
  std::array<ContactPoint, 64> points_;
  size_t count_ = 0;
  double size_ = 0;
};

// Adds the points at which the features of two shapes that face each other overlap, as seen along
// the normal n: each pair of points p_A + gap n = p_B of the features with a gap below the margin
// is possible, and those at the corners of the overlap are added. n is the direction of least
// separation, so that no other pair of points of the shapes with this property has a smaller gap
// than separation.gap. If no corner has this gap, separation.p_W is added.
void add_overlap(const PlacedShape& a, const PlacedShape& b, const Separation& separation,
                 double margin, ContactCandidates& out);

}  // namespace torsor
