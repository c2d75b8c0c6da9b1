#pragma once
// From where the world is seen: a perspective that orbits about a point. World axes, z up, metres.

#include <array>
#include <optional>
#include <span>

#include "torsor/spatial/vec3.hpp"

namespace torsor::editor {

// Of a picture, from its upper left corner, in pixels.
struct Pixel {
  double x, y;
};

struct Ray {
  Vec3<double> origin, direction;  // direction of length 1
};

struct Camera {
  static constexpr double tan_half = 0.36;  // of the vertical field of view: 40 degrees

  Vec3<double> target{0, 0, 0.5};
  double distance = 3;  // m, from the eye to the target
  // Rad; azimuth 0 looks along -x, elevation pi/2 straight down.
  double azimuth = 0.9, elevation = 0.35;

  // Unit vectors, right-handed with right x up = -forward.
  Vec3<double> forward() const;
  Vec3<double> right() const;
  Vec3<double> up() const;
  Vec3<double> eye() const { return target - distance * forward(); }

  // By these angles (rad); stops straight above and below.
  void orbit(double azimuth_change, double elevation_change);
  // Moves what is seen by so many heights of the picture.
  void pan(double right, double up);
  // Makes what is seen larger by the factor.
  void zoom(double factor);
  // Looks along an axis: 0, 1, 2 for x, y, z.
  void look_along(int axis, bool backward);
  // Moves so that every point lies within a picture of this aspect (width by height), as large as
  // it can be, without turning.
  void fit(std::span<const Vec3<double>> points, double aspect);

  double near() const { return 0.02 * distance; }
  double far() const { return 200 * distance; }
  // World to clip space of OpenGL, by columns.
  std::array<float, 16> clip_from_world(double aspect) const;
  Ray ray(Pixel at, double width, double height) const;
  // Where that ray meets the plane through a point that faces the camera.
  Vec3<double> beside(const Vec3<double>& point, Pixel at, double width, double height) const;
  // Nothing for a point that is not in front of the near plane.
  std::optional<Pixel> project(const Vec3<double>& point, double width, double height) const;
  // Metres that a pixel spans at a point.
  double metres_per_pixel(const Vec3<double>& point, double height) const;
};

}  // namespace torsor::editor
