#pragma once
// Counter-based random numbers: Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", 2011). A number is a function of a key and a counter, without a
// state. Each sample of a study therefore has its own stream, independent of the samples that were
// computed before it, and the numbers are the same on every machine.
//
// A round multiplies two words of the counter by constants. The high and low halves of the
// products, mixed with the key, are the next counter:
//   (hi0, lo0) = M0 c0,  (hi1, lo1) = M1 c2
//   c' = (hi1 ^ c1 ^ k0, lo1, hi0 ^ c3 ^ k1, lo0)
//   k' = (k0 + W0, k1 + W1)

#include <array>
#include <cstdint>

namespace torsor {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

constexpr PhiloxCounter philox(PhiloxCounter c, PhiloxKey k) {
  constexpr uint64_t M0 = 0xD2511F53, M1 = 0xCD9E8D57;
  constexpr uint32_t W0 = 0x9E3779B9, W1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = M0 * c[0], p1 = M1 * c[2];
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k[0], uint32_t(p1), uint32_t(p0 >> 32) ^ c[3] ^ k[1],
         uint32_t(p0)};
    k = {k[0] + W0, k[1] + W1};
  }
  return c;
}

// The uses of random numbers in a study. Each use has streams of its own.
enum class StreamUse : uint32_t {
  value = 0,
  place_in_stratum,
  permutation,
  digital_shift,
  bootstrap
};

// Returns 64 random bits: of the study's seed, the use, the dimension (parameter) and the index of
// the sample.
constexpr uint64_t random_bits(uint64_t seed, StreamUse use, uint32_t dimension, uint64_t index) {
  const PhiloxCounter out =
      philox({uint32_t(index), uint32_t(index >> 32), dimension, uint32_t(use)},
             {uint32_t(seed), uint32_t(seed >> 32)});
  return uint64_t(out[1]) << 32 | out[0];
}

// Returns the number in (0, 1) of 64 random bits: the middle of one of 2^52 equal intervals. It is
// never 0 or 1, so that quantiles are finite.
constexpr double unit_number(uint64_t bits) {
  return (double(bits >> 12) + 0.5) * 0x1p-52;
}

}  // namespace torsor
