#include "torsor/shapes/convex_hull.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

#include "torsor/base/error.hpp"

namespace torsor {

namespace {

// Distances, as parts of the size of the points. A hull thinner than `flat` has no volume. Points
// nearer than `rounding` to a triangle are on it: rounding of a distance is about 1e-15. Triangles
// whose corners are nearer than `coplanar` to a plane are one face: files store single precision.
constexpr double flat = 1e-7, rounding = 1e-12, coplanar = 1e-6;

struct Triangle {
  std::array<uint32_t, 3> corners;     // counter-clockwise as seen from outside
  std::array<int, 3> neighbours;       // across the edge from corner k to corner k + 1
  Vec3<double> normal{};               // of length 1
  double offset = 0;                   // normal . x of the points of the plane
  std::vector<uint32_t> outside = {};  // points above this triangle, not yet in the hull
  bool removed = false;
};

struct HorizonEdge {
  uint32_t from, to;
  int beyond;  // the triangle that remains, across the edge
};

class Quickhull {
 public:
  explicit Quickhull(std::span<const Vec3<double>> points) : points_(points) {
    check_points();
    start();
    for (size_t k = 0; k < triangles_.size(); ++k)
      while (!triangles_[k].removed && !triangles_[k].outside.empty()) add_farthest(int(k));
  }

  double size() const { return size_; }
  const std::vector<Triangle>& triangles() const { return triangles_; }

 private:
  const Vec3<double>& at(uint32_t k) const { return points_[k]; }

  void check_points() {
    if (points_.size() < 4)
      throw Error(fmt::format("a convex hull needs four points, and there are {}", points_.size()));
    Vec3<double> low = points_[0], high = points_[0];
    for (const Vec3<double>& p : points_) {
      if (!std::isfinite(p.x + p.y + p.z))
        throw Error(fmt::format("the point ({}, {}, {}) is not finite", p.x, p.y, p.z));
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    size_ = norm(high - low);
  }

  template <class Distance>
  uint32_t farthest(Distance distance) const {
    uint32_t best = 0;
    double largest = -1;
    for (uint32_t k = 0; k < points_.size(); ++k)
      if (const double d = distance(points_[k]); d > largest) largest = d, best = k;
    return best;
  }

  // Makes a tetrahedron of points that are far from each other.
  void start() {
    const uint32_t a = farthest([&](const Vec3<double>& p) { return norm(p - at(0)); });
    const uint32_t b = farthest([&](const Vec3<double>& p) { return norm(p - at(a)); });
    if (!(norm(at(b) - at(a)) > 0)) throw Error("all points are the same, so the hull is a point");
    const Vec3<double> e = (1 / norm(at(b) - at(a))) * (at(b) - at(a));
    const uint32_t c = farthest([&](const Vec3<double>& p) { return norm(cross(p - at(a), e)); });
    const Vec3<double> across = cross(e, at(c) - at(a));
    if (!(norm(across) > flat * size_)) throw Error("all points are on a line");
    const Vec3<double> n = (1 / norm(across)) * across;
    const auto height = [&](const Vec3<double>& p) { return dot(n, p - at(a)); };
    const uint32_t d = farthest([&](const Vec3<double>& p) { return std::abs(height(p)); });
    if (!(std::abs(height(at(d))) > flat * size_))
      throw Error("all points are in a plane, so the hull has no volume");
    const bool below = height(at(d)) < 0;
    const uint32_t x = below ? a : b, y = below ? b : a;  // d is below the triangle x y c
    triangles_ = {{{x, y, c}, {3, 1, 2}},
                  {{c, y, d}, {0, 3, 2}},
                  {{x, c, d}, {0, 1, 3}},
                  {{y, x, d}, {0, 2, 1}}};
    std::vector<uint32_t> all(points_.size());
    std::iota(all.begin(), all.end(), 0u);
    for (Triangle& triangle : triangles_) set_plane(triangle);
    distribute(all, 0);
  }

  void set_plane(Triangle& triangle) const {
    const auto& [a, b, c] = triangle.corners;
    const Vec3<double> n = cross(at(b) - at(a), at(c) - at(a));
    const double length = norm(n);
    triangle.normal = (length > 0 ? 1 / length : 0) * n;
    triangle.offset = dot(triangle.normal, at(a));
  }

  double height(const Triangle& triangle, uint32_t point) const {
    return dot(triangle.normal, at(point)) - triangle.offset;
  }

  // Gives each point to the first triangle, from index `first` on, that it is above.
  void distribute(const std::vector<uint32_t>& points, size_t first) {
    for (const uint32_t point : points)
      for (size_t k = first; k < triangles_.size(); ++k)
        if (height(triangles_[k], point) > rounding * size_) {
          triangles_[k].outside.push_back(point);
          break;
        }
  }

  // Collects the triangles that the point is above, and the edges around them.
  void find_horizon(int start, uint32_t point, std::vector<int>& visible,
                    std::vector<HorizonEdge>& horizon) {
    visible = {start};
    triangles_[size_t(start)].removed = true;
    for (size_t k = 0; k < visible.size(); ++k)
      for (const int next : triangles_[size_t(visible[k])].neighbours)
        if (Triangle& other = triangles_[size_t(next)];
            !other.removed && height(other, point) > rounding * size_) {
          other.removed = true;
          visible.push_back(next);
        }
    for (const int k : visible)
      for (size_t edge = 0; edge < 3; ++edge)
        if (const int next = triangles_[size_t(k)].neighbours[edge];
            !triangles_[size_t(next)].removed)
          horizon.push_back({triangles_[size_t(k)].corners[edge],
                             triangles_[size_t(k)].corners[(edge + 1) % 3], next});
  }

  // Replaces the triangles below the farthest point of triangle k by a cone from this point to
  // their border. If rounding makes the border touch itself, the point is on the hull and is left
  // out.
  void add_farthest(int k) {
    std::vector<uint32_t>& outside = triangles_[size_t(k)].outside;
    const auto top = std::ranges::max_element(
        outside, {}, [&](uint32_t p) { return height(triangles_[size_t(k)], p); });
    const uint32_t apex = *top;
    outside.erase(top);
    std::vector<int> visible;
    std::vector<HorizonEdge> horizon;
    find_horizon(k, apex, visible, horizon);
    std::map<uint32_t, int> starting, ending;  // new triangle by the corner of its border edge
    const int first = int(triangles_.size());
    for (size_t e = 0; e < horizon.size(); ++e) {
      starting[horizon[e].from] = first + int(e);
      ending[horizon[e].to] = first + int(e);
    }
    if (starting.size() != horizon.size() || ending.size() != horizon.size()) {
      for (const int each : visible) triangles_[size_t(each)].removed = false;
      return;
    }
    std::vector<uint32_t> freed;
    for (const int each : visible) {
      std::vector<uint32_t> own = std::move(triangles_[size_t(each)].outside);
      freed.insert(freed.end(), own.begin(), own.end());
    }
    for (const auto& [from, to, beyond] : horizon) {
      Triangle triangle{{from, to, apex}, {beyond, starting.at(to), ending.at(from)}};
      set_plane(triangle);
      for (size_t edge = 0; edge < 3; ++edge)
        if (triangles_[size_t(beyond)].corners[edge] == to)
          triangles_[size_t(beyond)].neighbours[edge] = int(triangles_.size());
      triangles_.push_back(std::move(triangle));
    }
    distribute(freed, size_t(first));
  }

  std::span<const Vec3<double>> points_;
  double size_ = 0;
  std::vector<Triangle> triangles_;
};

// Merges triangles into faces, and numbers the vertices that faces use.
class Faces {
 public:
  Faces(std::span<const Vec3<double>> points, const Quickhull& hull)
      : points_(points), hull_(hull), done_(hull.triangles().size(), false) {}

  ConvexHull merge() {
    const std::vector<Triangle>& all = hull_.triangles();
    std::vector<int> order;  // large triangles first: their planes are the most exact
    for (int k = 0; k < int(all.size()); ++k)
      if (!all[size_t(k)].removed) order.push_back(k);
    std::ranges::stable_sort(order, std::greater(), [&](int k) { return area(all[size_t(k)]); });
    out_.face_begin = {0};
    for (const int k : order)
      if (!done_[size_t(k)]) add_face(k);
    return std::move(out_);
  }

 private:
  double area(const Triangle& triangle) const {
    const auto& [a, b, c] = triangle.corners;
    return norm(cross(points_[b] - points_[a], points_[c] - points_[a]));
  }

  bool is_in_plane(const Triangle& seed, const Triangle& other) const {
    return dot(seed.normal, other.normal) > 0 &&
           std::ranges::all_of(other.corners, [&](uint32_t p) {
             return std::abs(dot(seed.normal, points_[p]) - seed.offset) <= coplanar * hull_.size();
           });
  }

  void add_face(int start) {
    const std::vector<Triangle>& all = hull_.triangles();
    const Triangle& seed = all[size_t(start)];
    std::vector<int> part{start};
    done_[size_t(start)] = true;
    std::vector<uint32_t> corners;
    for (size_t k = 0; k < part.size(); ++k) {
      const Triangle& triangle = all[size_t(part[k])];
      corners.insert(corners.end(), triangle.corners.begin(), triangle.corners.end());
      for (const int next : triangle.neighbours)
        if (!done_[size_t(next)] && is_in_plane(seed, all[size_t(next)])) {
          done_[size_t(next)] = true;
          part.push_back(next);
        }
    }
    if (norm(seed.normal) == 0) return;
    for (const uint32_t corner : outline(std::move(corners), seed.normal))
      out_.corners.push_back(number(corner));
    out_.face_begin.push_back(uint32_t(out_.corners.size()));
    out_.normals.push_back(seed.normal);
  }

  // Returns the corners of the convex outline of points in a plane, counter-clockwise about its
  // normal (Andrew's monotone chain).
  std::vector<uint32_t> outline(std::vector<uint32_t> corners, const Vec3<double>& n) const {
    const Vec3<double> e = std::abs(n.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
    const Vec3<double> s = (1 / norm(cross(n, e))) * cross(n, e), t = cross(n, s);
    const auto place = [&](uint32_t k) {
      return std::pair(dot(s, points_[k]), dot(t, points_[k]));
    };
    std::ranges::sort(corners, {}, [&](uint32_t k) { return std::pair(place(k), k); });
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    const auto turns_left = [&](uint32_t a, uint32_t b, uint32_t c) {
      return dot(n, cross(points_[b] - points_[a], points_[c] - points_[a])) >
             rounding * hull_.size() * hull_.size();
    };
    std::vector<uint32_t> out;
    const auto add_chain = [&](auto begin, auto end) {
      const size_t first = out.size();
      for (auto it = begin; it != end; ++it) {
        while (out.size() >= first + 2 && !turns_left(out[out.size() - 2], out.back(), *it))
          out.pop_back();
        out.push_back(*it);
      }
      out.pop_back();
    };
    add_chain(corners.begin(), corners.end());
    add_chain(corners.rbegin(), corners.rend());
    return out;
  }

  uint32_t number(uint32_t point) {
    const auto [found, is_new] = numbers_.emplace(point, uint32_t(out_.vertices.size()));
    if (is_new) out_.vertices.push_back(points_[point]);
    return found->second;
  }

  std::span<const Vec3<double>> points_;
  const Quickhull& hull_;
  std::vector<char> done_;
  std::map<uint32_t, uint32_t> numbers_;
  ConvexHull out_;
};

}  // namespace

ConvexHull convex_hull(std::span<const Vec3<double>> points) {
  const Quickhull hull(points);
  return Faces(points, hull).merge();
}

}  // namespace torsor
