#pragma once
// The direction of least separation of two convex shapes, by the algorithms GJK and EPA of Bullet.
//
// The separation of the shapes A and B along a unit vector n, from A to B, is
//   s(n) = min_B n . x - max_A n . x
// The signed distance is the maximum of s over all n (Gilbert, Johnson and Keerthi, 1988; Cameron
// and Culley, 1986): the distance of shapes that are apart, and minus the length of the shortest
// translation that separates shapes that overlap.

#include <memory>

#include "torsor/contact/convex.hpp"

namespace torsor {

// A shape in the world.
struct PlacedShape {
  const CollisionShape* shape;
  const ConvexTraits* kind;  // null for half spaces and height fields
  double size;               // the largest extent along an axis of C, m; 0 if it is unbounded
  Vec3<double> center;       // a point inside the shape, in C
  Pose<double> X_WC;

  // Returns the farthest point of the core along d, both in the world.
  Vec3<double> support(const Vec3<double>& d) const {
    return X_WC * kind->support(*shape, transpose_times(X_WC.R, d));
  }
  double radius() const { return kind->radius(*shape); }
};

PlacedShape placed(const CollisionShape& shape, const Pose<double>& X_WC);

struct Separation {
  double gap;        // between the surfaces, m
  Vec3<double> n_W;  // from A to B
  Vec3<double> p_W;  // between the nearest points of both surfaces
};

// Returns s(n) between the cores, without their radii.
double core_separation(const PlacedShape& a, const PlacedShape& b, const Vec3<double>& n_W);

// Memory of the library. One thread uses it at a time.
class SeparationSolver {
 public:
  SeparationSolver();
  ~SeparationSolver();
  SeparationSolver(SeparationSolver&&) noexcept;

  // Returns the separation of two shapes. The result depends only on the arguments. Does not
  // allocate memory.
  Separation solve(const PlacedShape& a, const PlacedShape& b);
  // The same by GJK alone, for shapes that are apart.
  Separation solve_apart(const PlacedShape& a, const PlacedShape& b);

 private:
  struct Shapes;
  std::unique_ptr<Shapes> shapes_;
};

}  // namespace torsor
