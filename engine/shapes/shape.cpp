#include "torsor/shapes/shape.hpp"

#include <fmt/format.h>

#include <cmath>
#include <initializer_list>
#include <numbers>

namespace torsor {

namespace {

using std::numbers::pi;

struct Length {
  const char* what;
  double value;
};

std::optional<std::string> first_defect(const char* shape, std::initializer_list<Length> lengths) {
  for (const auto& [what, value] : lengths)
    if (!(value > 0) || std::isinf(value))
      return fmt::format("the {} of the {} is {} m; it must be positive and finite", what, shape,
                         value);
  return std::nullopt;
}

struct Defect {
  std::optional<std::string> operator()(const Box& box) const {
    return first_defect(
        "box", {{"size in x", box.size.x}, {"size in y", box.size.y}, {"size in z", box.size.z}});
  }
  std::optional<std::string> operator()(const Cylinder& cylinder) const {
    return first_defect("cylinder", {{"radius", cylinder.radius}, {"length", cylinder.length}});
  }
  std::optional<std::string> operator()(const Sphere& sphere) const {
    return first_defect("sphere", {{"radius", sphere.radius}});
  }
  std::optional<std::string> operator()(const Capsule& capsule) const {
    return first_defect("capsule", {{"radius", capsule.radius}, {"length", capsule.length}});
  }
  std::optional<std::string> operator()(const Cone& cone) const {
    return first_defect("cone", {{"radius", cone.radius}, {"length", cone.length}});
  }
  std::optional<std::string> operator()(const Ellipsoid& ellipsoid) const {
    const Vec3<double>& radii = ellipsoid.radii;
    return first_defect(
        "ellipsoid",
        {{"radius in x", radii.x}, {"radius in y", radii.y}, {"radius in z", radii.z}});
  }
  std::optional<std::string> operator()(const MeshFile& mesh) const {
    if (mesh.file.empty()) return "the mesh has no file name";
    for (const auto& [what, value] :
         {Length{"x", mesh.scale.x}, {"y", mesh.scale.y}, {"z", mesh.scale.z}})
      if (value == 0 || !std::isfinite(value))
        return fmt::format("the scale in {} of the mesh is {}; it must be finite and not 0", what,
                           value);
    return std::nullopt;
  }
};

struct HalfSize {
  Vec3<double> operator()(const Box& box) const { return 0.5 * box.size; }
  Vec3<double> operator()(const Cylinder& cylinder) const {
    return {cylinder.radius, cylinder.radius, cylinder.length / 2};
  }
  Vec3<double> operator()(const Sphere& sphere) const {
    return {sphere.radius, sphere.radius, sphere.radius};
  }
  Vec3<double> operator()(const Capsule& capsule) const {
    return {capsule.radius, capsule.radius, capsule.length / 2 + capsule.radius};
  }
  Vec3<double> operator()(const Cone& cone) const {
    return {cone.radius, cone.radius, cone.length / 2};
  }
  Vec3<double> operator()(const Ellipsoid& ellipsoid) const { return ellipsoid.radii; }
  Vec3<double> operator()(const MeshFile&) const { return {NAN, NAN, NAN}; }
};

struct Volume {
  double operator()(const Box& box) const { return box.size.x * box.size.y * box.size.z; }
  double operator()(const Cylinder& cylinder) const {
    return pi * cylinder.radius * cylinder.radius * cylinder.length;
  }
  double operator()(const Sphere& sphere) const { return 4 * pi / 3 * std::pow(sphere.radius, 3); }
  double operator()(const Capsule& capsule) const {
    return (*this)(Cylinder{capsule.radius, capsule.length}) + (*this)(Sphere{capsule.radius});
  }
  double operator()(const Cone& cone) const {
    return pi / 3 * cone.radius * cone.radius * cone.length;
  }
  double operator()(const Ellipsoid& ellipsoid) const {
    return 4 * pi / 3 * ellipsoid.radii.x * ellipsoid.radii.y * ellipsoid.radii.z;
  }
  double operator()(const MeshFile&) const { return NAN; }
};

}  // namespace

Vec3<double> half_size(const Shape& shape) {
  return std::visit(HalfSize{}, shape);
}

double volume(const Shape& shape) {
  return std::visit(Volume{}, shape);
}

std::optional<std::string> defect(const Shape& shape) {
  return std::visit(Defect{}, shape);
}

}  // namespace torsor
