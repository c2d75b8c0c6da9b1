// Tests of the random streams: published values of Philox, and streams that share no numbers.

#include "torsor/study/sampling/philox.hpp"

#include <gmock/gmock.h>

#include <set>

namespace torsor::test {
namespace {

// The test vectors of Random123 (kat_vectors, philox4x32 with 10 rounds).
TEST(Philox, HasThePublishedValues) {
  constexpr uint32_t all = 0xffffffff;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({all, all, all, all}, {all, all}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The 10000th number of std::philox4x32 in C++26 is 1955073260. Its counter is incremented after
// each four numbers, and its seed is 20111115.
TEST(Philox, HasTheValueOfTheStandardLibrary) {
  EXPECT_EQ(philox({9999 / 4, 0, 0, 0}, {20111115, 0})[9999 % 4], 1955073260u);
}

TEST(Streams, OfSamplesParametersAndUsesShareNoNumbers) {
  std::set<uint64_t> seen;
  size_t count = 0;
  for (uint64_t seed : {0ull, 1ull, 1ull << 40})
    for (const StreamUse use : {StreamUse::value, StreamUse::place_in_stratum})
      for (uint32_t dimension = 0; dimension < 10; ++dimension)
        for (uint64_t k = 0; k < 1000; ++k, ++count)
          seen.insert(random_bits(seed, use, dimension, k * k * k * k));
  EXPECT_EQ(seen.size(), count);
}

TEST(Streams, HaveUniformNumbers) {
  constexpr int n = 100'000;
  double sum = 0, squares = 0, neighbours = 0, before = 0.5;
  for (int k = 0; k < n; ++k) {
    const double u = unit_number(random_bits(7, StreamUse::value, 3, uint64_t(k))) - 0.5;
    sum += u, squares += u * u, neighbours += u * before, before = u;
  }
  // Four standard deviations of the mean values of u, u^2 and u_k u_(k-1): variances 1/12, 1/180
  // and 1/144.
  EXPECT_NEAR(sum / n, 0, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(squares / n, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / n));
  EXPECT_NEAR(neighbours / n, 0, 4 * std::sqrt(1.0 / 144 / n));
}

TEST(Streams, AreNeverZeroOrOne) {
  EXPECT_GT(unit_number(0), 0);
  EXPECT_LT(unit_number(~uint64_t(0)), 1);
}

}  // namespace
}  // namespace torsor::test
