#pragma once
// Pairs of features that can touch at one point: a corner and a plane, two edges, two spheres. The
// gap of each pair is a smooth function of q, so that integrators keep their order while it is
// zero.
//
// Spheres, capsules, boxes, convex polyhedra and half spaces have pairs:
//   corner and plane   corners are those of polyhedra, and the centres of spheres and of the ends
//   of
//                      capsules, with their radius r. g = n . (x - p) - r
//   corner and corner  two spheres. g = |x_B - x_A| - r_A - r_B
//   edge and edge      of two polyhedra, d_A and d_B. n = +-d_A x d_B / |d_A x d_B|,
//                      g = n . (x_B - x_A)
// A corner of a polyhedron or the plane of a face touches only where the corner is over the face,
// and edges only where they cross: elsewhere, the pair is out of range. So are edges that overlap
// by more than a quarter of their length: n is then the direction of another side.
//
// The material points at x have the relative velocity u(x) = v_B(x) - v_A(x), and the point p moves
// over both surfaces. The rate of the gap and its derivative are
//   w_n = n . u(p) = J v,   dw_n/dt = J vdot + n . a + ndot . u,
//   a = d/dt u(p) at vdot = 0 = u'(p) + (w_B - w_A) x pdot
// u' is the derivative of the field u at a fixed point. A tangential rate that stays zero, as of a
// wheel that rolls, has the derivative  t . (J vdot + a).

#include <memory>
#include <vector>

#include "torsor/contact/contact.hpp"
#include "torsor/mechanics/state.hpp"
#include "torsor/model/collider.hpp"

namespace torsor {

// A pair of features at a state. Vectors are in the axes of the world.
struct FeatureContact {
  ContactPoint at{};  // normal from collider a to b
  bool is_in_range = false;
  double range = 0;  // m; negative out of range
  Vec3<double> n_rate{}, u{}, a{};
  double terms = 0;  // |v_A(p)| + |v_B(p)|, m/s: u has rounding errors of a few eps of it

  double normal_rate() const { return dot(at.n_W, u); }
  Vec3<double> slip() const { return u - normal_rate() * at.n_W; }
  double normal_bias() const { return dot(at.n_W, a) + dot(n_rate, u); }
};

class FeaturePairs {
 public:
  // Collects the pairs of all colliders that may collide, in ascending order of the colliders.
  // Throws Error for other shapes, and if there are too many pairs.
  explicit FeaturePairs(std::shared_ptr<const Model> model);

  size_t size() const { return pairs_.size(); }
  ColliderPair colliders(size_t pair) const { return pairs_[pair].colliders; }
  // Evaluates all pairs at q and v of a state. Does not allocate.
  void evaluate(const State& state);
  const FeatureContact& operator[](size_t pair) const { return contacts_[pair]; }

 private:
  // A body's pose, twist, and derivative of the twist at vdot = 0, about the origin of the world.
  struct BodyMotion {
    Pose<double> X_WB = Pose<double>::identity();
    Twist<double> V_W{}, A_W{};
    Vec3<double> velocity(const Vec3<double>& x) const { return V_W.v + cross(V_W.w, x); }
  };
  struct Plane {
    Vec3<double> n, p;
  };
  struct Edge {
    Vec3<double> p, d;  // start, and vector to the end
    Vec3<double> n[2];  // normals of its faces
  };
  // The features of a collider, in the axes of its body.
  struct Features {
    std::vector<Vec3<double>> corners;
    double radius = 0;
    std::vector<Plane> planes;
    std::vector<Edge> edges;
  };
  enum class Kind : unsigned char { corner_plane, corners, edges };
  struct Pair {
    Kind kind;
    ColliderPair colliders;
    int first, second;        // colliders; the first one has the plane
    int of_first, of_second;  // indices in Features; of_first is -1 for a corner and any plane
  };
  static Features features_of(const Collider& collider);
  void add_pairs(int a, int b);
  void add(Kind kind, int first, int second, int of_first, int of_second);
  void evaluate_bodies(const State& state);
  void evaluate_corner_plane(const Pair& pair, FeatureContact& out) const;
  void evaluate_corners(const Pair& pair, FeatureContact& out) const;
  void evaluate_edges(const Pair& pair, FeatureContact& out) const;
  const BodyMotion& motion(int collider) const {
    return bodies_[size_t(model_->colliders[size_t(collider)].body)];
  }

  std::shared_ptr<const Model> model_;
  std::vector<Features> features_;  // [colliders]
  std::vector<Pair> pairs_;
  std::vector<FeatureContact> contacts_;  // [pairs]
  std::vector<BodyMotion> bodies_;        // [n_body]
};

}  // namespace torsor
