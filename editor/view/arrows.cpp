#include "editor/view/arrows.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace torsor::editor {

Vec3<double> add_arrow(Drawing& drawing, const Vec3<double>& from, const Vec3<double>& direction,
                       double length, double thickness, const Color& color) {
  const double head = std::min(5 * thickness, 0.6 * length);
  const Vec3<double> neck = from + (length - head) * direction;
  Solid shaft = bar(from, neck, thickness, thickness);
  shaft.color = color;
  drawing.arrows.push_back(shaft);
  Solid tip = bar(neck, from + length * direction, 2.4 * thickness, 0);
  tip.color = color;
  drawing.arrows.push_back(tip);
  return from + (length + thickness) * direction;
}

Vec3<double> add_turn(Drawing& drawing, const Vec3<double>& center, const Vec3<double>& axis,
                      double radius, double pixels, const Color& color) {
  // The frame of this bar provides two directions perpendicular to the axis.
  const Solid along = bar(center, center + axis, 1, 1);
  const auto at = [&](int k) {
    const double a = 1.5 * std::numbers::pi * k / 36;
    return center + along.X.R * Vec3<double>{radius * std::cos(a), radius * std::sin(a), 0};
  };
  for (int k = 1; k <= 36; ++k) drawing.strokes.push_back({at(k - 1), at(k), color, pixels});
  const Vec3<double> last = at(36), ahead = (1 / radius) * cross(axis, last - center);
  const double length = 0.45 * radius;
  Solid tip = bar(last - 0.3 * length * ahead, last + 0.7 * length * ahead, 0.36 * length, 0);
  tip.color = color;
  drawing.arrows.push_back(tip);
  return at(0);
}

}  // namespace torsor::editor
