#pragma once
// The principal axes of an inertia, as accurate as those of MuJoCo.

#include <array>

#include "torsor/spatial/vec3.hpp"

namespace torsor::mjcf {

// MuJoCo stores an inertia as principal moments and axes. It finds them by Jacobi rotations until
// the largest product of inertia is below 1e-12 kg m^2, or the next angle below 1.4e-6 rad, and
// drops the rest. The robot in MuJoCo therefore differs from that in the file by up to 1e-6 of the
// inertia of a body. The reader does the same, so that the dynamics are equal to rounding.
struct PrincipalAxes {
  std::array<double, 3> moments;  // descending
  Mat3<double> axes;              // right-handed; columns are the axes
  // Returns the inertia with these moments and axes.
  Sym3<double> inertia() const;
};
PrincipalAxes principal_axes(const Sym3<double>& I);

}  // namespace torsor::mjcf
