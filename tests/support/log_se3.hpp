#pragma once

#include "torsor/spatial/so3.hpp"

namespace torsor::test {

// Returns the twist V with exp(V) = X, |omega| <= pi.
inline Twist<double> log_se3(const Pose<double>& X) {
  const Vec3<double> w = log_so3(X.R);
  return {w, left_jacobian_inverse(w, X.p)};
}

}  // namespace torsor::test
