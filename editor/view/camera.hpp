#pragma once
// The camera of the 3D view: a perspective projection, orbiting about a target. World axes with z
// up, metres.

#include <array>
#include <optional>
#include <span>

#include "torsor/spatial/vec3.hpp"

namespace torsor::editor {

// A position in a picture, in pixels from its upper left corner.
struct Pixel {
  double x, y;
};

struct Ray {
  Vec3<double> origin, direction;  // direction is a unit vector
};

struct Camera {
  // Tangent of half the vertical field of view, which is about 40 degrees.
  static constexpr double tan_half = 0.36;

  Vec3<double> target{0, 0, 0.5};
  double distance = 3;  // m, from the eye to the target
  // Angles in rad. Azimuth 0 looks along -x; elevation pi/2 looks straight down.
  double azimuth = 0.9, elevation = 0.35;

  // Unit vectors, right-handed with right x up = -forward.
  Vec3<double> forward() const;
  Vec3<double> right() const;
  Vec3<double> up() const;
  Vec3<double> eye() const { return target - distance * forward(); }

  // Orbits about the target by these angles in rad. Limits the elevation to +-pi/2.
  void orbit(double azimuth_change, double elevation_change);
  // Moves the camera so that the picture at the target moves by these fractions of its height.
  void pan(double right, double up);
  // Magnifies the picture by a factor: divides the distance by it.
  void zoom(double factor);
  // Looks along an axis (0, 1, 2 for x, y, z), or in its negative direction if backward is true.
  void look_along(int axis, bool backward);
  // Moves the camera without turning it. Places it as close as possible such that all points are
  // inside a picture with this aspect ratio (width / height).
  void fit(std::span<const Vec3<double>> points, double aspect);

  double near() const { return 0.02 * distance; }
  double far() const { return 200 * distance; }
  // Returns the transform from the world to OpenGL clip space, as a column-major matrix.
  std::array<float, 16> clip_from_world(double aspect) const;
  // Returns the ray from the eye through a pixel of a picture with this size in pixels.
  Ray ray(Pixel at, double width, double height) const;
  // Returns the intersection of the ray through a pixel with the plane through `point` that faces
  // the camera.
  Vec3<double> on_plane_through(const Vec3<double>& point, Pixel at, double width,
                                double height) const;
  // Returns the pixel of a point, or nullopt if the point is not in front of the near plane.
  std::optional<Pixel> project(const Vec3<double>& point, double width, double height) const;
  // Returns the size of a pixel in m at the depth of a point.
  double metres_per_pixel(const Vec3<double>& point, double height) const;
};

}  // namespace torsor::editor
