#pragma once

#include <gtest/gtest.h>

#include "torsor/spatial/vec3.hpp"

namespace torsor::editor::test {

inline void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_LE(norm(a - b), tolerance)
      << a.x << " " << a.y << " " << a.z << " is not " << b.x << " " << b.y << " " << b.z;
}

}  // namespace torsor::editor::test
