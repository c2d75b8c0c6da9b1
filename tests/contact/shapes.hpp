#pragma once
// Random shapes of every kind, and independent computations of their distances.

#include <functional>
#include <vector>

#include "torsor/base/random.hpp"
#include "torsor/contact/pair.hpp"

namespace torsor::test {

inline CollisionShape random_shape(Random& random, ShapeKind kind) {
  CollisionShape out{
      kind, {random.uniform(0.1, 0.6), random.uniform(0.1, 0.6), random.uniform(0.1, 0.6)}};
  if (kind == ShapeKind::convex) {
    std::vector<Vec3<double>> points;
    const Vec3<double> center = random.vector(0.3);
    for (int k = 0; k < 12; ++k) points.push_back(center + 0.4 * random.direction());
    return convex_shape(points);
  }
  if (kind == ShapeKind::height_field) {
    HeightField field{7, 6, 0.3, 0.4, {}};
    for (int k = 0; k < 42; ++k) field.heights.push_back(random.uniform(-0.1, 0.1));
    out.field = std::make_shared<const HeightField>(field);
  }
  return out;
}

constexpr ShapeKind bounded_kinds[] = {
    ShapeKind::sphere,    ShapeKind::box,  ShapeKind::capsule, ShapeKind::cylinder,
    ShapeKind::ellipsoid, ShapeKind::cone, ShapeKind::convex};

// Returns s(n): the separation of two shapes along a unit vector.
inline double separation_along(const PlacedShape& a, const PlacedShape& b, const Vec3<double>& n) {
  return core_separation(a, b, n) - a.radius() - b.radius();
}

// Returns the maximum of s(n) over all directions, by a search from the best points of a grid on
// the sphere. It knows the shapes only by their support functions.
inline double searched_separation(const PlacedShape& a, const PlacedShape& b) {
  constexpr int n = 2000, starts = 8, turns = 16;
  std::vector<std::pair<double, Vec3<double>>> grid;
  for (int k = 0; k < n; ++k) {
    const double z = 1 - 2 * (k + 0.5) / n, r = std::sqrt(1 - z * z), angle = 2.399963229728653 * k;
    const Vec3<double> d{r * std::cos(angle), r * std::sin(angle), z};
    grid.emplace_back(separation_along(a, b, d), d);
  }
  std::ranges::stable_sort(grid, std::greater(), [](const auto& each) { return each.first; });
  double best = -HUGE_VAL;
  for (int k = 0; k < starts; ++k) {
    auto [s, d] = grid[size_t(k)];
    for (double step = 0.05; step > 1e-12;) {
      const Vec3<double> e = std::abs(d.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
      const Vec3<double> t = cross(d, e), t1 = (1 / norm(t)) * t, t2 = cross(d, t1);
      bool better = false;
      for (int turn = 0; turn < turns && !better; ++turn) {
        const double angle = 2 * M_PI * turn / turns;
        const Vec3<double> m = d + step * std::cos(angle) * t1 + step * std::sin(angle) * t2;
        const Vec3<double> next = (1 / norm(m)) * m;
        if (const double value = separation_along(a, b, next); value > s)
          s = value, d = next, better = true;
      }
      if (!better) step *= 0.6;
    }
    best = std::max(best, s);
  }
  return best;
}

// Returns the least gap of points, or the margin if there are none.
inline double least_gap(const Contact& contact, double margin) {
  double out = margin;
  for (const ContactPoint& point : contact.list()) out = std::min(out, point.gap);
  return out;
}

}  // namespace torsor::test
