#include "editor/opengl/mesh.hpp"

#include <cmath>
#include <numbers>

namespace torsor::editor {

namespace {

using Point = Vec3<double>;

class Triangles {
 public:
  struct Corner {
    Point at, normal;
  };
  void quad(const Corner& a, const Corner& b, const Corner& c, const Corner& d) {
    for (const Corner* corner : {&a, &b, &c, &a, &c, &d}) put(*corner);
  }
  void triangle(const Corner& a, const Corner& b, const Corner& c) {
    for (const Corner* corner : {&a, &b, &c}) put(*corner);
  }
  std::vector<float> take() { return std::move(floats_); }

 private:
  void put(const Corner& c) {
    for (const double number : {c.at.x, c.at.y, c.at.z, c.normal.x, c.normal.y, c.normal.z})
      floats_.push_back(float(number));
  }
  std::vector<float> floats_;
};

std::vector<float> box() {
  Triangles out;
  const auto axis = [](int k, double length) {
    return Point{k == 0 ? length : 0, k == 1 ? length : 0, k == 2 ? length : 0};
  };
  for (int k = 0; k < 3; ++k)
    for (const double side : {-0.5, 0.5}) {
      const Point n = axis(k, 2 * side), a = axis(k, side), u = axis((k + 1) % 3, side),
                  v = axis((k + 2) % 3, 0.5);
      out.quad({a - u - v, n}, {a + u - v, n}, {a + u + v, n}, {a - u + v, n});
    }
  return out.take();
}

std::vector<float> cylinder() {
  constexpr int n = 40;
  Triangles out;
  for (int k = 0; k < n; ++k) {
    const double from = 2 * std::numbers::pi * k / n, to = 2 * std::numbers::pi * (k + 1) / n;
    const Point a{std::cos(from), std::sin(from), 0}, b{std::cos(to), std::sin(to), 0},
        up{0, 0, 0.5}, z{0, 0, 1};
    out.quad({a - up, a}, {b - up, b}, {b + up, b}, {a + up, a});
    out.triangle({up, z}, {a + up, z}, {b + up, z});
    out.triangle({-up, -z}, {b - up, -z}, {a - up, -z});
  }
  return out.take();
}

std::vector<float> sphere() {
  constexpr int rings = 16, n = 32;
  Triangles out;
  const auto corner = [](int ring, int k) -> Triangles::Corner {
    const double down = std::numbers::pi * ring / rings, round = 2 * std::numbers::pi * k / n;
    const Point p{std::sin(down) * std::cos(round), std::sin(down) * std::sin(round),
                  std::cos(down)};
    return {p, p};
  };
  for (int ring = 0; ring < rings; ++ring)
    for (int k = 0; k < n; ++k)
      out.quad(corner(ring + 1, k), corner(ring + 1, k + 1), corner(ring, k + 1), corner(ring, k));
  return out.take();
}

}  // namespace

std::vector<float> triangles(Mesh mesh) {
  switch (mesh) {
    case Mesh::box:
      return box();
    case Mesh::cylinder:
      return cylinder();
    case Mesh::sphere:
      return sphere();
    case Mesh::surface:
      break;  // the triangles are in Solid::surface
  }
  return {};
}

}  // namespace torsor::editor
