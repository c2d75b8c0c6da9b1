#include "editor/view/camera.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace torsor::editor {

namespace {
constexpr double least_distance = 1e-3, largest_distance = 1e5;
}

Vec3<double> Camera::forward() const {
  return {-std::cos(elevation) * std::cos(azimuth), -std::cos(elevation) * std::sin(azimuth),
          -std::sin(elevation)};
}
Vec3<double> Camera::right() const {
  return {-std::sin(azimuth), std::cos(azimuth), 0};
}
Vec3<double> Camera::up() const {
  return cross(right(), forward());
}

void Camera::orbit(double azimuth_change, double elevation_change) {
  constexpr double pi = std::numbers::pi;
  azimuth = std::remainder(azimuth + azimuth_change, 2 * pi);
  elevation = std::clamp(elevation + elevation_change, -pi / 2, pi / 2);
}

void Camera::pan(double to_right, double to_top) {
  const double height = 2 * tan_half * distance;
  target -= height * (to_right * right() + to_top * up());
}

void Camera::zoom(double factor) {
  distance = std::clamp(distance / factor, least_distance, largest_distance);
}

void Camera::look_along(int axis, bool backward) {
  constexpr double pi = std::numbers::pi;
  elevation = axis < 2 ? 0 : backward ? pi / 2 : -pi / 2;
  // Along z: x points to the right. y points up if seen from above, and down if seen from below.
  azimuth = axis == 2 ? -pi / 2 : axis * pi / 2 + (backward ? 0 : pi);
  orbit(0, 0);
}

// Derivation in camera axes (r, u, f). t is the tangent of half the angle of view, times the
// margin. It differs for r and u. A point is inside the picture seen from the eye e if
//   |r - e_r| <= t (f - e_f), and the same for u with its own t.
// For all points, this is equivalent to
//   e_r - t e_f >= A = max(r - t f)   and   -e_r - t e_f >= B = max(-r - t f).
// The nearest eye has e_f = -(A + B) / 2t and e_r = (A - B) / 2. Of the two values of e_f, for r
// and u, the smaller one is used.
void Camera::fit(std::span<const Vec3<double>> points, double aspect) {
  if (points.empty()) return;
  constexpr double margin = 0.86;  // fraction of the width and height that the points may fill
  const double t[2] = {margin * tan_half * aspect, margin * tan_half};
  const Vec3<double> axes[2] = {right(), up()}, f = forward();
  double e[2], e_f = std::numeric_limits<double>::infinity(), nearest = e_f, farthest = -e_f;
  for (const Vec3<double>& p : points) {
    nearest = std::min(nearest, dot(f, p));
    farthest = std::max(farthest, dot(f, p));
  }
  for (int k = 0; k < 2; ++k) {
    double a = -std::numeric_limits<double>::infinity(), b = a;
    for (const Vec3<double>& p : points) {
      a = std::max(a, dot(axes[k], p) - t[k] * dot(f, p));
      b = std::max(b, -dot(axes[k], p) - t[k] * dot(f, p));
    }
    e[k] = (a - b) / 2;
    e_f = std::min(e_f, -(a + b) / (2 * t[k]));
  }
  const double middle = (nearest + farthest) / 2;
  distance = std::clamp(middle - e_f, least_distance, largest_distance);
  target = e[0] * axes[0] + e[1] * axes[1] + middle * f;
}

std::array<float, 16> Camera::clip_from_world(double aspect) const {
  const Vec3<double> r = right(), u = up(), f = forward(), e = eye();
  const double a = 1 / (tan_half * aspect), b = 1 / tan_half;
  const double c = (far() + near()) / (far() - near()), d = -2 * far() * near() / (far() - near());
  const double rows[4][4] = {{a * r.x, a * r.y, a * r.z, -a * dot(r, e)},
                             {b * u.x, b * u.y, b * u.z, -b * dot(u, e)},
                             {c * f.x, c * f.y, c * f.z, -c * dot(f, e) + d},
                             {f.x, f.y, f.z, -dot(f, e)}};
  std::array<float, 16> columns{};
  for (int row = 0; row < 4; ++row)
    for (int col = 0; col < 4; ++col) columns[size_t(4 * col + row)] = float(rows[row][col]);
  return columns;
}

Ray Camera::ray(Pixel at, double width, double height) const {
  const double x = (2 * at.x / width - 1) * tan_half * width / height,
               y = (1 - 2 * at.y / height) * tan_half;
  const Vec3<double> d = forward() + x * right() + y * up();
  return {eye(), (1 / norm(d)) * d};
}

Vec3<double> Camera::on_plane_through(const Vec3<double>& point, Pixel at, double width,
                                      double height) const {
  const auto [origin, direction] = ray(at, width, height);
  return origin + (dot(point - origin, forward()) / dot(direction, forward())) * direction;
}

std::optional<Pixel> Camera::project(const Vec3<double>& point, double width, double height) const {
  const Vec3<double> d = point - eye();
  const double depth = dot(d, forward());
  if (!(depth > near())) return std::nullopt;
  const double half = height / 2 / (tan_half * depth);
  return Pixel{width / 2 + half * dot(d, right()), height / 2 - half * dot(d, up())};
}

double Camera::metres_per_pixel(const Vec3<double>& point, double height) const {
  return 2 * tan_half * std::max(dot(point - eye(), forward()), near()) / height;
}

}  // namespace torsor::editor
