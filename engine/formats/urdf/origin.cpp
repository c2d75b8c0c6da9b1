#include "torsor/formats/urdf/origin.hpp"

namespace torsor::urdf {

using xml::Element;

Pose<double> read_origin(const Element& element) {
  const std::optional<Element> origin = element.child("origin");
  if (!origin) return Pose<double>::identity();
  const Vec3<double> zero{0, 0, 0}, rpy = origin->vector("rpy").value_or(zero);
  return translation(origin->vector("xyz").value_or(zero)) * rotation_z(rpy.z) * rotation_y(rpy.y) *
         rotation_x(rpy.x);
}

}  // namespace torsor::urdf
