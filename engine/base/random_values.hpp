#pragma once
// Random numbers that are the same on every platform. The C++ standard defines the bits of the
// generator, but not the results of its distributions.

#include <cmath>
#include <cstdint>
#include <random>

#include "torsor/spatial/so3.hpp"

namespace torsor {

class RandomValues {
 public:
  explicit RandomValues(uint64_t seed) : bits_(seed) {}
  double uniform(double from, double to) {
    return from + (to - from) * (double(bits_() >> 11) * 0x1p-53);
  }
  int below(int n) { return int(bits_() % uint64_t(n)); }
  Vec3<double> vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3<double> direction() {
    const double z = uniform(-1, 1), angle = uniform(-M_PI, M_PI), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }
  Mat3<double> rotation() { return exp_so3(uniform(0, M_PI) * direction()); }
  Pose<double> pose(double size) { return {rotation(), vector(size)}; }

 private:
  std::mt19937_64 bits_;
};

}  // namespace torsor
