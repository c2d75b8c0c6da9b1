#include "torsor/contact/feature_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "torsor/base/error.hpp"
#include "torsor/spatial/screw.hpp"

namespace torsor {

namespace {

using V3 = Vec3<double>;

constexpr size_t most_pairs = 5000;
// Rounding of positions relative to faces and edges, m, and of unit normals.
constexpr double rounding = 1e-9, normal_rounding = 1e-6;

bool is_polyhedron(const Collider& collider) {
  return collider.shape.kind == ShapeKind::box || collider.shape.kind == ShapeKind::convex;
}
bool has_corners(const Collider& collider) {
  return is_polyhedron(collider) || collider.shape.kind == ShapeKind::sphere ||
         collider.shape.kind == ShapeKind::capsule;
}

// Returns the corners and faces of a box in the form of a hull. Its normals are exact.
ConvexHull box_hull(const V3& h) {
  ConvexHull out;
  for (int k = 0; k < 8; ++k)
    out.vertices.push_back({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z});
  out.corners = {1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3, 0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1};
  out.face_begin = {0, 4, 8, 12, 16, 20, 24};
  out.normals = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  return out;
}

}  // namespace

FeaturePairs::Features FeaturePairs::features_of(const Collider& collider) {
  const CollisionShape& shape = collider.shape;
  const Pose<double>& X = collider.X_BC;
  Features out;
  switch (shape.kind) {
    case ShapeKind::half_space:
      out.planes.push_back({X.R * V3{0, 0, 1}, X.p});
      break;
    case ShapeKind::sphere:
      out.radius = shape.size.x;
      out.corners.push_back(X.p);
      break;
    case ShapeKind::capsule:
      out.radius = shape.size.x;
      for (const double side : {-1.0, 1.0})
        out.corners.push_back(X * V3{0, 0, side * shape.size.z});
      break;
    case ShapeKind::box:
    case ShapeKind::convex: {
      const ConvexHull hull = shape.hull ? *shape.hull : box_hull(shape.size);
      for (const V3& vertex : hull.vertices) out.corners.push_back(X * vertex);
      for (size_t f = 0; f < hull.n_face(); ++f)
        out.planes.push_back({X.R * hull.normals[f], out.corners[hull.face(f)[0]]});
      // Each edge has its two corners in opposite order in its two faces.
      for (size_t f = 0; f < hull.n_face(); ++f)
        for (size_t i = 0; i < hull.face(f).size(); ++i) {
          const uint32_t from = hull.face(f)[i], to = hull.face(f)[(i + 1) % hull.face(f).size()];
          for (size_t g = f + 1; g < hull.n_face(); ++g)
            for (size_t j = 0; j < hull.face(g).size(); ++j)
              if (hull.face(g)[j] == to && hull.face(g)[(j + 1) % hull.face(g).size()] == from)
                out.edges.push_back({out.corners[from],
                                     out.corners[to] - out.corners[from],
                                     {out.planes[f].n, out.planes[g].n}});
        }
      break;
    }
    default:
      break;
  }
  return out;
}

FeaturePairs::FeaturePairs(std::shared_ptr<const Model> model)
    : model_(std::move(model)), bodies_(size_t(model_->n_body)) {
  for (const Collider& collider : model_->colliders) features_.push_back(features_of(collider));
  for (int a = 0; a < int(features_.size()); ++a)
    for (int b = a + 1; b < int(features_.size()); ++b)
      if (may_collide(*model_, a, b)) add_pairs(a, b);
  contacts_.resize(pairs_.size());
}

void FeaturePairs::add(Kind kind, int first, int second, int of_first, int of_second) {
  if (pairs_.size() == most_pairs)
    throw Error(fmt::format(
        "the shapes have more than {} pairs of corners, edges and faces that can touch, too many "
        "to locate contacts in time; choose the integrator time_stepping",
        most_pairs));
  pairs_.push_back({kind, std::minmax(first, second), first, second, of_first, of_second});
}

void FeaturePairs::add_pairs(int a, int b) {
  const Collider &A = model_->colliders[size_t(a)], &B = model_->colliders[size_t(b)];
  const auto count = [](const auto& list) { return int(list.size()); };
  const Features &of_a = features_[size_t(a)], &of_b = features_[size_t(b)];
  const bool plane_a = A.shape.kind == ShapeKind::half_space,
             plane_b = B.shape.kind == ShapeKind::half_space;
  if (plane_a && has_corners(B)) {
    for (int k = 0; k < count(of_b.corners); ++k) add(Kind::corner_plane, a, b, -1, k);
  } else if (plane_b && has_corners(A)) {
    for (int k = 0; k < count(of_a.corners); ++k) add(Kind::corner_plane, b, a, -1, k);
  } else if (A.shape.kind == ShapeKind::sphere && B.shape.kind == ShapeKind::sphere) {
    add(Kind::corners, a, b, 0, 0);
  } else if (is_polyhedron(A) && is_polyhedron(B)) {
    for (int k = 0; k < count(of_b.corners); ++k) add(Kind::corner_plane, a, b, -1, k);
    for (int k = 0; k < count(of_a.corners); ++k) add(Kind::corner_plane, b, a, -1, k);
    for (int i = 0; i < count(of_a.edges); ++i)
      for (int j = 0; j < count(of_b.edges); ++j) add(Kind::edges, a, b, i, j);
  } else {
    throw Error(fmt::format(
        "the contacts of '{}', a {}, and '{}', a {}, cannot be located in time; choose the "
        "integrator time_stepping, or exclude the pair with collision_pair",
        A.name, traits(A.shape.kind).name, B.name, traits(B.shape.kind).name));
  }
}

// S_B of each joint is constant:  V_i = V_p + S_W v,  A_i = A_p + ad(V_i) S_W v  at vdot = 0.
void FeaturePairs::evaluate_bodies(const State& state) {
  for (int i = 1; i < model_->n_body; ++i) {
    const BodyMotion& parent = bodies_[size_t(model_->parent[i])];
    BodyMotion& body = bodies_[size_t(i)];
    body.X_WB = parent.X_WB * state.X_PB()[size_t(i)];
    Twist<double> S_v{};
    for (int k = model_->v_index[i]; k < model_->v_index[i] + model_->v_count[i]; ++k)
      S_v = S_v + state.v[size_t(k)] * model_->S_B[size_t(k)];
    S_v = transform(body.X_WB, S_v);
    body.V_W = parent.V_W + S_v;
    body.A_W = parent.A_W + ad(body.V_W, S_v);
  }
}

void FeaturePairs::evaluate(const State& state) {
  evaluate_bodies(state);
  for (size_t k = 0; k < pairs_.size(); ++k) {
    const Pair& pair = pairs_[k];
    FeatureContact& out = contacts_[k];
    out.at.id = uint32_t(k);
    switch (pair.kind) {
      case Kind::corner_plane:
        evaluate_corner_plane(pair, out);
        break;
      case Kind::corners:
        evaluate_corners(pair, out);
        break;
      case Kind::edges:
        evaluate_edges(pair, out);
        break;
    }
  }
}

namespace {

// Sets the velocities at the point p, which moves at p_rate, for a normal from the first to the
// second body. Then orients the contact from collider a to b.
template <class BodyMotion>
void finish(const BodyMotion& first, const BodyMotion& second, const V3& p_rate, bool swaps,
            FeatureContact& out) {
  const V3& p = out.at.p_W;
  const Twist<double> A = second.A_W - first.A_W;
  out.terms = norm(first.velocity(p)) + norm(second.velocity(p));
  out.u = second.velocity(p) - first.velocity(p);
  out.a = A.v + cross(A.w, p) + cross(second.V_W.w - first.V_W.w, p_rate);
  if (!swaps) return;
  out.at.n_W = -out.at.n_W;
  out.n_rate = -out.n_rate;
  out.u = -out.u;
  out.a = -out.a;
}

}  // namespace

// The plane of a polyhedron is that from which the corner is farthest, as in the signed distance of
// a point. At an edge, several planes are equally far, and a corner that has passed one plane
// within a step may be nearer to another. The plane is then that from which the whole second shape
// is farthest, because its other corners are on the outer side of the plane that it touches. The
// corner is in range where its projection is inside all other planes.
void FeaturePairs::evaluate_corner_plane(const Pair& pair, FeatureContact& out) const {
  const BodyMotion &first = motion(pair.first), &second = motion(pair.second);
  const Features &of_first = features_[size_t(pair.first)],
                 &of_second = features_[size_t(pair.second)];
  const V3 x = second.X_WB * of_second.corners[size_t(pair.of_second)];
  const V3 local = transpose_times(first.X_WB.R, x - first.X_WB.p);
  const Plane* plane = nullptr;
  double height = -std::numeric_limits<double>::infinity();
  for (const Plane& each : of_first.planes) height = std::max(height, dot(each.n, local - each.p));
  const auto least_height = [&](const Plane& of) {
    double least = std::numeric_limits<double>::infinity();
    for (const V3& corner : of_second.corners) {
      const V3 in_first = transpose_times(first.X_WB.R, second.X_WB * corner - first.X_WB.p);
      least = std::min(least, dot(of.n, in_first - of.p));
    }
    return least;
  };
  std::optional<double> farthest;  // of the plane, if several ones are compared
  for (const Plane& each : of_first.planes) {
    if (height > rounding && dot(each.n, local - each.p) < height - rounding) continue;
    if (!plane) {
      plane = &each;
      continue;
    }
    if (!farthest) farthest = least_height(*plane);
    if (const double least = least_height(each); least > *farthest) plane = &each, farthest = least;
  }
  height = dot(plane->n, local - plane->p);
  const V3 foot = local - height * plane->n;
  out.range = std::numeric_limits<double>::infinity();
  for (const Plane& each : of_first.planes)
    if (&each != plane) out.range = std::min(out.range, rounding - dot(each.n, foot - each.p));
  out.is_in_range = out.range >= 0;
  const double r = of_second.radius, gap = height - r;
  const V3 n = first.X_WB.R * plane->n, v = second.velocity(x);
  out.n_rate = cross(first.V_W.w, n);
  out.at.n_W = n;
  out.at.gap = gap;
  out.at.p_W = x - (r + gap / 2) * n;
  const double gap_rate = dot(n, v - first.velocity(x));
  const V3 p_rate = v - (r + gap / 2) * out.n_rate - (gap_rate / 2) * n;
  finish(first, second, p_rate, pair.first > pair.second, out);
}

void FeaturePairs::evaluate_corners(const Pair& pair, FeatureContact& out) const {
  const BodyMotion &first = motion(pair.first), &second = motion(pair.second);
  const Features &of_first = features_[size_t(pair.first)],
                 &of_second = features_[size_t(pair.second)];
  const V3 a = first.X_WB * of_first.corners[size_t(pair.of_first)],
           b = second.X_WB * of_second.corners[size_t(pair.of_second)];
  const double length = norm(b - a), r = of_first.radius;
  const V3 n = (1 / length) * (b - a), v = second.velocity(b) - first.velocity(a);
  const double gap = length - r - of_second.radius, gap_rate = dot(n, v);
  out.range = std::numeric_limits<double>::infinity();
  out.is_in_range = true;
  out.n_rate = (1 / length) * (v - gap_rate * n);
  out.at.n_W = n;
  out.at.gap = gap;
  out.at.p_W = a + (r + gap / 2) * n;
  const V3 p_rate = first.velocity(a) + (r + gap / 2) * out.n_rate + (gap_rate / 2) * n;
  finish(first, second, p_rate, pair.first > pair.second, out);
}

// The lines x_A + s d_A and x_B + t d_B are nearest where their distance is along n. n separates
// the polyhedra if it is between the normals of the faces of the edge of A, and -n between those
// of B. For c = d_A x d_B:
//   s = (x_B - x_A) . (d_B x c) / c . c,   t = (x_B - x_A) . (d_A x c) / c . c
void FeaturePairs::evaluate_edges(const Pair& pair, FeatureContact& out) const {
  const BodyMotion &first = motion(pair.first), &second = motion(pair.second);
  const Edge &a = features_[size_t(pair.first)].edges[size_t(pair.of_first)],
             &b = features_[size_t(pair.second)].edges[size_t(pair.of_second)];
  const V3 x_a = first.X_WB * a.p, d_a = first.X_WB.R * a.d, x_b = second.X_WB * b.p,
           d_b = second.X_WB.R * b.d, c = cross(d_a, d_b);
  const double size = norm(c), length_a = norm(d_a), length_b = norm(d_b);
  out.is_in_range = false;
  out.range = -1;
  out.at.gap = 1;
  if (!(size > normal_rounding * length_a * length_b)) return;
  V3 n = (1 / size) * c;
  double sign = 1;
  if (dot(n, first.X_WB.R * (a.n[0] + a.n[1])) < 0) n = -n, sign = -1;
  // n is in the cone of both normals if it is on the inner side of both ends of the arc.
  const auto is_between = [](const V3& normal, const Edge& edge, const Pose<double>& X) {
    const V3 local = transpose_times(X.R, normal);
    const double cosine = dot(edge.n[0], edge.n[1]);
    return dot(local, edge.n[0]) >= cosine - normal_rounding &&
           dot(local, edge.n[1]) >= cosine - normal_rounding;
  };
  if (!is_between(n, a, first.X_WB) || !is_between(-n, b, second.X_WB)) return;
  const V3 w = x_b - x_a;
  const double s = dot(w, cross(d_b, c)) / dot(c, c), t = dot(w, cross(d_a, c)) / dot(c, c);
  // Corners at the ends of edges touch planes instead.
  out.range =
      std::min({s * length_a, (1 - s) * length_a, t * length_b, (1 - t) * length_b}) - 2 * rounding;
  if (out.range < 0) return;
  if (dot(n, w) < -0.25 * std::min(length_a, length_b)) {
    out.range = -1;
    return;
  }
  out.is_in_range = true;
  const V3 p_a = x_a + s * d_a, p_b = x_b + t * d_b;
  out.at.n_W = n;
  out.at.gap = dot(n, w);
  out.at.p_W = 0.5 * (p_a + p_b);
  const V3 d_a_rate = cross(first.V_W.w, d_a), d_b_rate = cross(second.V_W.w, d_b);
  const V3 c_rate = cross(d_a_rate, d_b) + cross(d_a, d_b_rate);
  out.n_rate = (sign / size) * (c_rate - dot(c_rate, n) * n);
  // The nearest points keep (p_b - p_a) = gap n. With their places' rates s' and t',
  //   v_B(p_b) + t' d_b - v_A(p_a) - s' d_a = gap' n + gap n'
  const V3 v = second.velocity(p_b) - first.velocity(p_a) - out.at.gap * out.n_rate;
  const double s_rate = dot(v, cross(d_b, c)) / dot(c, c);
  const double t_rate = dot(v, cross(d_a, c)) / dot(c, c);
  const V3 p_rate =
      0.5 * (first.velocity(p_a) + s_rate * d_a + second.velocity(p_b) + t_rate * d_b);
  finish(first, second, p_rate, pair.first > pair.second, out);
}

}  // namespace torsor
