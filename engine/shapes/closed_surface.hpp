#pragma once
// Checks of closed surfaces of triangles.

#include <cstdint>
#include <span>
#include <vector>

#include "torsor/shapes/triangles.hpp"

namespace torsor {

// Returns for each triangle the number of its part: 0, 1, ... Triangles with a common vertex are in
// one part. Throws Error if the surface is open, with the place of the hole, or if the orientation
// of its triangles is inconsistent.
std::vector<uint32_t> parts_of_closed_surface(const Triangles& surface);

// Throws Error unless each part whose signed volume has the opposite sign of the total is a cavity:
// inside another part. parts: for each triangle, the number of its part. volumes: one for each
// part, m^3.
void require_cavities(const Triangles& surface, std::span<const uint32_t> parts,
                      std::span<const double> volumes);

}  // namespace torsor
