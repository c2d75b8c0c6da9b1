#pragma once
// A surface of triangles.

#include <array>
#include <cstdint>
#include <vector>

#include "torsor/spatial/vec3.hpp"

namespace torsor {

struct Triangles {
  std::vector<Vec3<double>> vertices;            // m
  std::vector<std::array<uint32_t, 3>> corners;  // indices of vertices, three per triangle
};

}  // namespace torsor
