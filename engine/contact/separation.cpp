#include "torsor/contact/separation.hpp"

#include <BulletCollision/CollisionShapes/btConvexInternalShape.h>
#include <BulletCollision/NarrowPhaseCollision/btGjkEpa2.h>

#include <algorithm>
#include <cmath>

namespace torsor {

static_assert(sizeof(btScalar) == sizeof(double), "link the double precision build of Bullet");

namespace {

using V3 = Vec3<double>;

V3 vector_of(const btVector3& v) {
  return {v.x(), v.y(), v.z()};
}
btVector3 bullet_of(const V3& v) {
  return {v.x, v.y, v.z};
}

// The core of a shape, for Bullet.
class Core final : public btConvexInternalShape {
 public:
  Core() {
    m_shapeType = CUSTOM_CONVEX_SHAPE_TYPE;
    m_collisionMargin = 0;
  }
  void show(const PlacedShape& placed) { placed_ = &placed; }
  const PlacedShape& placed() const { return *placed_; }
  btTransform pose() const {
    const double* r = placed_->X_WC.R.m;
    return btTransform(btMatrix3x3(r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8]),
                       bullet_of(placed_->X_WC.p));
  }

  btVector3 center() const { return bullet_of(placed_->X_WC * placed_->center); }

  btVector3 localGetSupportingVertex(const btVector3& d) const override {
    return bullet_of(placed_->kind->support(*placed_->shape, vector_of(d)));
  }
  btVector3 localGetSupportingVertexWithoutMargin(const btVector3& d) const override {
    return localGetSupportingVertex(d);
  }
  void batchedUnitVectorGetSupportingVertexWithoutMargin(const btVector3* d, btVector3* out,
                                                         int n) const override {
    for (int k = 0; k < n; ++k) out[k] = localGetSupportingVertex(d[k]);
  }
  void calculateLocalInertia(btScalar, btVector3& inertia) const override { inertia.setZero(); }
  const char* getName() const override { return "core"; }

 private:
  const PlacedShape* placed_ = nullptr;
};

// The lengths below are parts of the smaller size of both shapes.
// The directions of GJK have errors of about rounding / distance, so that those of shapes that are
// nearer than this are not used.
constexpr double nearly_touching = 1e-5;
// Shapes that nearly touch are pushed into each other by this, where EPA finds the direction.
constexpr double first_push = 1e-3;

V3 unit(const V3& a) {
  const double length = norm(a);
  return length > 0 ? (1 / length) * a : V3{0, 0, 1};
}

struct Nearest {
  V3 n, a, b;  // direction from A to B, and points of both cores
};

// Returns R A R^T of the curvature of a shape in the axes of the world.
Sym3<double> world_curvature(const PlacedShape& a, const V3& n_W) {
  if (!a.kind->curvature) return {};
  return rotate(a.X_WC.R, a.kind->curvature(*a.shape, transpose_times(a.X_WC.R, n_W)));
}

// Improves the direction of a maximum of s where both support functions are smooth, by Newton's
// method on the sphere. With the support points a(n), b(n) and w = b - a, the gradient of s along
// the tangents of the sphere is that part of w, and the Hessian is -(D_A + D_B) - s 1, with the
// second derivatives D of the support functions. A step that does not reduce the gradient, or that
// reduces s, is not taken: at corners and edges, the direction stays as it is.
void refine(const PlacedShape& A, const PlacedShape& B, Nearest& at) {
  constexpr int most_steps = 8;
  V3 a = A.support(at.n), b = B.support(-at.n);
  const auto along = [](const V3& n, const V3& w) { return w - dot(n, w) * n; };
  for (int step = 0; step < most_steps; ++step) {
    const V3 w = b - a, g = along(at.n, w);
    const double s = dot(at.n, w), slope = norm(g);
    if (slope == 0) return;
    const Sym3<double> D = world_curvature(A, at.n) + world_curvature(B, -at.n);
    const V3 t1 =
                 unit(std::abs(at.n.x) < 0.6 ? cross(at.n, V3{1, 0, 0}) : cross(at.n, V3{0, 1, 0})),
             t2 = cross(at.n, t1);
    const double h11 = dot(t1, D * t1) + s, h12 = dot(t1, D * t2), h22 = dot(t2, D * t2) + s;
    const double det = h11 * h22 - h12 * h12;
    if (!(h11 > 0 && det > 0)) return;
    const double g1 = dot(t1, g), g2 = dot(t2, g);
    const V3 n =
        unit(at.n + ((h22 * g1 - h12 * g2) / det) * t1 + ((h11 * g2 - h12 * g1) / det) * t2);
    const V3 a1 = A.support(n), b1 = B.support(-n), w1 = b1 - a1;
    if (!(norm(along(n, w1)) < slope) || dot(n, w1) < s) return;
    at = {n, a1, b1};
    a = a1, b = b1;
  }
}

// Improves a direction at which s has a kink: the features of both shapes meet at an edge e, on
// which the support points change from one end to the other. The maximum is perpendicular to e, and
// there the derivative of s(n) for rotations about e vanishes: (e x n) . w = 0. e is the difference
// of two w near n. Finds the zero by the method of Illinois.
void refine_at_edge(const PlacedShape& A, const PlacedShape& B, double size, Nearest& at) {
  constexpr double tilt = 1e-5, bracket = 1e-3, is_edge = 1e-3;
  const auto w_at = [&](const V3& n) { return B.support(-n) - A.support(n); };
  const V3 t1 = unit(std::abs(at.n.x) < 0.6 ? cross(at.n, V3{1, 0, 0}) : cross(at.n, V3{0, 1, 0})),
           t2 = cross(at.n, t1);
  const V3 across1 = w_at(at.n + tilt * t1) - w_at(at.n - tilt * t1),
           across2 = w_at(at.n + tilt * t2) - w_at(at.n - tilt * t2);
  const V3 edge = norm(across1) > norm(across2) ? across1 : across2;
  if (norm(edge) < is_edge * size) return;
  const V3 e = unit(edge), n0 = unit(at.n - dot(at.n, e) * e), r = cross(e, n0);
  const auto n_at = [&](double angle) { return std::cos(angle) * n0 + std::sin(angle) * r; };
  const auto slope = [&](double angle) {
    const V3 n = n_at(angle);
    return dot(cross(e, n), w_at(n));
  };
  double low = -bracket, high = bracket, f_low = slope(low), f_high = slope(high);
  if (!(f_low > 0 && f_high < 0)) return;
  double middle = 0;
  constexpr int most_steps = 60;
  for (int step = 0; step < most_steps && high - low > 1e-15; ++step) {
    middle = (low * f_high - high * f_low) / (f_high - f_low);
    const double f = slope(middle);
    if (f == 0) break;
    if (f > 0) {
      low = middle, f_low = f;
      f_high /= 2;
    } else {
      high = middle, f_high = f;
      f_low /= 2;
    }
  }
  const V3 n = n_at(middle);
  if (dot(n, w_at(n)) > dot(at.n, w_at(at.n))) at.n = n;
}

}  // namespace

PlacedShape placed(const CollisionShape& shape, const Pose<double>& X_WC) {
  PlacedShape out{&shape, convex_traits(shape.kind), 0, {0, 0, 0}, X_WC};
  if (!out.kind) return out;
  for (const V3& axis : {V3{1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
    out.size = std::max(
        out.size, dot(axis, out.kind->support(shape, axis) - out.kind->support(shape, -axis)));
  out.size += 2 * out.radius();
  if (!shape.hull) return out;
  const double n = double(shape.hull->vertices.size());
  for (const V3& vertex : shape.hull->vertices) out.center += (1 / n) * vertex;
  return out;
}

double core_separation(const PlacedShape& a, const PlacedShape& b, const V3& n_W) {
  return dot(n_W, b.support(-n_W) - a.support(n_W));
}

// Bullet computes in the frame of A: so are its guesses of w = b - a and its normals, but not its
// points.
struct SeparationSolver::Shapes {
  Core a, b;

  static constexpr int n_guess = 6;

  // Returns a guess of w, in the frame of A. GJK and EPA fail for about one guess in a hundred,
  // where their simplex is flat: then other guesses follow.
  btVector3 guess(int k, const btTransform& X_a, const btVector3& shift) const {
    const btVector3 others[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, -1, 0.5}, {1, -0.5, 1}};
    return k > 0 ? others[k - 1] : (b.center() + shift - a.center()) * X_a.getBasis();
  }

  double separation(const V3& n) const { return core_separation(a.placed(), b.placed(), n); }
  void keep_better(const Nearest& found, Nearest& out) const {
    if (separation(found.n) > separation(out.n)) out = found;
  }

  // Returns the distance of cores that are apart, or 0, and keeps the better direction. A positive
  // s(n) proves a result. Very small distances cannot be proved, because n is inexact.
  double find_apart(double touching, Nearest& out) {
    btGjkEpaSolver2::sResults r;
    const btTransform X_a = a.pose(), X_b = b.pose();
    int inside = 0;
    for (int k = 0; k < n_guess && inside < 2; ++k) {
      if (!btGjkEpaSolver2::Distance(&a, X_a, &b, X_b, guess(k, X_a, {0, 0, 0}), r)) {
        inside += r.status == btGjkEpaSolver2::sResults::Penetrating;
        continue;
      }
      const V3 p_A = vector_of(r.witnesses[0]), p_B = vector_of(r.witnesses[1]);
      const Nearest found{unit(p_B - p_A), p_A, p_B};
      keep_better(found, out);
      const double distance = norm(p_B - p_A);
      if (separation(found.n) > 0 || distance <= touching) return distance;
    }
    return 0;
  }

  // Finds the direction in which the cores overlap least, after a translation of B, and keeps the
  // better direction. Returns whether the result is consistent: the depth of the overlap is -s(n),
  // and more than `least`.
  bool find_overlap(int k, const V3& translation, double least, Nearest& out) {
    constexpr double exact = 1e-6;  // of the size
    const btTransform X_a = a.pose();
    const btVector3 shift = bullet_of(translation);
    btTransform X_b = b.pose();
    X_b.getOrigin() += shift;
    btGjkEpaSolver2::sResults r;
    if (!btGjkEpaSolver2::Penetration(&a, X_a, &b, X_b, guess(k, X_a, shift), r, false))
      return false;
    const V3 p_A = vector_of(r.witnesses[0]), p_B = vector_of(r.witnesses[1]);
    const V3 n = unit(-vector_of(X_a.getBasis() * r.normal));
    const double depth = norm(p_A - p_B);
    if (!std::isfinite(depth + norm(n))) return false;
    keep_better({n, p_A, p_B - translation}, out);
    return depth > least &&
           std::abs(depth + separation(n) + dot(n, translation)) < exact * b.placed().size;
  }

  // EPA rarely ends with a consistent result that is not the best one. So two results are found,
  // and the better one counts.
  void find(double size, double touching, Nearest& out) {
    const double apart = find_apart(touching, out);
    if (apart > touching) return;
    int results = 0;
    if (apart == 0)
      for (int k = 0; k < n_guess && results < 2; ++k)
        results += find_overlap(k, {0, 0, 0}, touching, out);
    if (results > 0 && separation(out.n) < -touching) return;
    // The shapes nearly touch: push them into each other, along the best direction so far.
    results = 0;
    for (double depth = first_push; depth < 1 && results == 0; depth *= 10)
      for (int k = 0; k < n_guess && results < 2; ++k)
        results += find_overlap(k, -depth * size * out.n, touching, out);
  }
};

SeparationSolver::SeparationSolver() : shapes_(std::make_unique<Shapes>()) {}
SeparationSolver::~SeparationSolver() = default;
SeparationSolver::SeparationSolver(SeparationSolver&&) noexcept = default;

namespace {

Nearest first_guess(const PlacedShape& a, const PlacedShape& b) {
  const V3 between = unit(b.X_WC * b.center - a.X_WC * a.center);
  return {between, a.support(between), b.support(-between)};
}

Separation between_surfaces(const PlacedShape& a, const PlacedShape& b, const Nearest& at) {
  const double gap = core_separation(a, b, at.n) - a.radius() - b.radius();
  return {gap, at.n, 0.5 * (at.a + a.radius() * at.n + at.b - b.radius() * at.n)};
}

}  // namespace

Separation SeparationSolver::solve(const PlacedShape& a, const PlacedShape& b) {
  shapes_->a.show(a);
  shapes_->b.show(b);
  const double size = std::min(a.size, b.size);
  Nearest at = first_guess(a, b);
  shapes_->find(size, nearly_touching * size, at);
  refine(a, b, at);
  if (a.kind->curvature || b.kind->curvature) refine_at_edge(a, b, size, at);
  return between_surfaces(a, b, at);
}

Separation SeparationSolver::solve_apart(const PlacedShape& a, const PlacedShape& b) {
  shapes_->a.show(a);
  shapes_->b.show(b);
  Nearest at = first_guess(a, b);
  shapes_->find_apart(0, at);
  return between_surfaces(a, b, at);
}

}  // namespace torsor
