#pragma once

#include <algorithm>
#include <cmath>

#include "torsor/spatial/inertia.hpp"

namespace torsor::test {

// Returns the largest difference of the parameters: m, h (as a vector) and the entries of I.
inline double difference(const SpatialInertia<double>& a, const SpatialInertia<double>& b) {
  const Sym3<double> I = a.I - b.I;
  return std::max({std::abs(a.m - b.m), norm(a.h - b.h), std::abs(I.xx), std::abs(I.yy),
                   std::abs(I.zz), std::abs(I.xy), std::abs(I.xz), std::abs(I.yz)});
}

// Returns the distance of the origins plus the sum of the absolute differences of the rotation
// matrices' entries.
inline double difference(const Pose<double>& A, const Pose<double>& B) {
  double sum = norm(A.p - B.p);
  for (int k = 0; k < 9; ++k) sum += std::abs(A.R.m[k] - B.R.m[k]);
  return sum;
}

}  // namespace torsor::test
