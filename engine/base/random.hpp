#pragma once
// Random numbers, vectors and poses that are the same on every platform. Random is the generator
// xoshiro256** (Blackman and Vigna, 2018), seeded by SplitMix64 (Steele, Lea and Flood, 2014). It
// is a value type: a copy stores the position in the sequence.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "torsor/spatial/so3.hpp"

namespace torsor {

// Returns the number that SplitMix64 makes from the state x: a hash of x. The next state is
// x + splitmix64_step.
constexpr uint64_t splitmix64_step = 0x9e3779b97f4a7c15;
constexpr uint64_t splitmix64(uint64_t x) {
  x += splitmix64_step;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed = 0) {
    for (uint64_t& word : words_) {
      word = splitmix64(seed);
      seed += splitmix64_step;
    }
  }
  explicit Random(const std::array<uint64_t, 4>& state) : words_(state) {}
  const std::array<uint64_t, 4>& state() const { return words_; }

  uint64_t bits() {
    const uint64_t out = std::rotl(words_[1] * 5, 7) * 9, shifted = words_[1] << 17;
    words_[2] ^= words_[0];
    words_[3] ^= words_[1];
    words_[1] ^= words_[2];
    words_[0] ^= words_[3];
    words_[2] ^= shifted;
    words_[3] = std::rotl(words_[3], 45);
    return out;
  }
  // Returns a uniform number in [0, 1), a multiple of 2^-53.
  double uniform() { return double(bits() >> 11) * 0x1p-53; }
  double uniform(double from, double to) { return from + (to - from) * uniform(); }
  // Returns a uniform integer in 0..last by rejection from the next power of two.
  uint64_t up_to(uint64_t last) {
    const uint64_t mask = last == 0 ? 0 : ~uint64_t(0) >> std::countl_zero(last);
    uint64_t value = bits() & mask;
    while (value > last) value = bits() & mask;
    return value;
  }
  // Returns a uniform integer in 0..n-1.
  int below(int n) { return int(up_to(uint64_t(n) - 1)); }
  // Returns a vector whose components are uniform in [-size, size).
  Vec3<double> vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec3<double> direction() {
    const double z = uniform(-1, 1), angle = uniform(-M_PI, M_PI), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }
  Mat3<double> rotation() {
    const Vec3<double> axis = direction();  // separate statements, so that the order is defined
    return exp_so3(uniform(0, M_PI) * axis);
  }
  Pose<double> pose(double size) { return {rotation(), vector(size)}; }

 private:
  std::array<uint64_t, 4> words_{};
};

}  // namespace torsor
