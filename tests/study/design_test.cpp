// Tests of the designs: random, Latin hypercube and Sobol's sequence.

#include "torsor/study/sampling/design.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/error_of.hpp"

namespace torsor::test {
namespace {

using Points = std::vector<std::vector<double>>;

Points points(const std::string& name, size_t dimensions, uint64_t samples, uint64_t seed = 1) {
  const auto design = make_design(name, dimensions, samples, seed);
  Points out;
  for (uint64_t k = 0; k < samples; ++k)
    design->point(k, out.emplace_back(std::vector<double>(dimensions)));
  return out;
}

// The first points of Sobol's sequence in five dimensions, from Joe and Kuo's program sobol.cc with
// new-joe-kuo-6.21201. The points of sobol.cc have the Gray code as their order.
TEST(Sobol, HasThePublishedPoints) {
  const double expected[][5] = {{0.5, 0.5, 0.5, 0.5, 0.5},
                                {0.75, 0.25, 0.25, 0.25, 0.75},
                                {0.25, 0.75, 0.75, 0.75, 0.25},
                                {0.375, 0.375, 0.625, 0.875, 0.375},
                                {0.875, 0.875, 0.125, 0.375, 0.875}};
  const SobolSequence sequence(5);
  for (uint64_t k = 0; k < 5; ++k) {
    uint64_t x[5];
    sequence.point(k, x);
    for (size_t d = 0; d < 5; ++d) EXPECT_EQ(double(x[d]) * 0x1p-64, expected[k][d]) << k << d;
  }
}

// Any interval of length 2^-m contains exactly one of the points 2^m j .. 2^m (j + 1) - 1 of the
// sequence that begins with 0, in each dimension. The digital shift does not change this.
TEST(Sobol, PutsOnePointIntoEachInterval) {
  const auto design = make_design("sobol", 20, 1 << 20, 5);
  constexpr uint64_t n = 64;
  for (size_t d = 0; d < 20; ++d) {
    std::set<int> strata;
    std::vector<double> u(20);
    // The sequence of the library begins with the second point.
    for (uint64_t k = 3 * n - 1; k < 4 * n - 1; ++k) {
      design->point(k, u);
      strata.insert(int(u[d] * n));
    }
    EXPECT_EQ(strata.size(), n) << d;
  }
}

TEST(Latin, PutsOnePointIntoEachInterval) {
  for (const uint64_t n : {1, 2, 3, 7, 100, 1000}) {
    const Points all = points("latin", 3, n);
    for (size_t d = 0; d < 3; ++d) {
      std::set<int> strata;
      for (const auto& point : all) strata.insert(int(point[d] * double(n)));
      EXPECT_EQ(strata.size(), n);
      EXPECT_EQ(*strata.rbegin(), int(n) - 1);
    }
  }
}

TEST(Latin, HasIndependentPermutations) {
  constexpr uint64_t n = 10'000;
  const Points all = points("latin", 2, n);
  double correlation = 0, neighbours = 0, before = 0;
  for (const auto& point : all) {
    correlation += (point[0] - 0.5) * (point[1] - 0.5) * 12 / double(n);
    neighbours += (point[0] - 0.5) * before * 12 / double(n);
    before = point[0] - 0.5;
  }
  EXPECT_NEAR(correlation, 0, 4 / std::sqrt(double(n)));
  EXPECT_NEAR(neighbours, 0, 4 / std::sqrt(double(n)));
}

TEST(Permuted, IsABijection) {
  for (const uint64_t n : {1, 2, 5, 17, 4096, 4097}) {
    std::set<uint64_t> images;
    for (uint64_t i = 0; i < n; ++i) images.insert(permuted(i, n, 3, 0));
    EXPECT_EQ(images.size(), n);
    EXPECT_LT(*images.rbegin(), n);
  }
  const uint64_t huge = (1ull << 50) + 3;
  EXPECT_LT(permuted(huge - 1, huge, 3, 0), huge);
}

class EveryDesign : public testing::TestWithParam<std::string> {};

TEST_P(EveryDesign, DependsOnSeedAndIndexOnly) {
  const Points all = points(GetParam(), 4, 60), again = points(GetParam(), 4, 60);
  EXPECT_EQ(all, again);
  EXPECT_NE(all, points(GetParam(), 4, 60, 2));
  const auto design = make_design(GetParam(), 4, 60, 1);
  for (int k = 59; k >= 0; --k) {  // in another order
    std::vector<double> u(4);
    design->point(uint64_t(k), u);
    EXPECT_EQ(u, all[size_t(k)]);
  }
}

TEST_P(EveryDesign, IsInTheOpenUnitCubeWithItsMeanInTheMiddle) {
  constexpr uint64_t n = 4095;
  double mean = 0;
  for (const auto& point : points(GetParam(), 3, n))
    for (const double u : point) {
      EXPECT_GT(u, 0);
      EXPECT_LT(u, 1);
      mean += u / 3 / n;
    }
  EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(1.0 / 36 / n));
}

// Point i + 1 of a pair is A with one coordinate of B.
TEST(Saltelli, HasPointsBetweenPairs) {
  const Points all = points("saltelli", 3, 20);
  for (size_t first = 0; first < 20; first += 5)
    for (size_t d = 0; d < 3; ++d) {
      EXPECT_NE(all[first][d], all[first + 4][d]);
      for (size_t i = 0; i < 3; ++i)
        EXPECT_EQ(all[first + 1 + i][d], all[first + (i == d ? 4 : 0)][d]);
    }
}

INSTANTIATE_TEST_SUITE_P(Designs, EveryDesign, testing::ValuesIn(design_names()),
                         [](const auto& each) { return each.param; });

TEST(Designs, RejectUnknownNamesAndTooManyDimensions) {
  EXPECT_EQ(error_of([] { make_design("sobel", 1, 1, 0); }),
            "there is no design 'sobel'; use one of: random, latin, sobol, saltelli; did you mean "
            "'sobol'?");
  EXPECT_EQ(error_of([] { make_design("saltelli", 3, 1001, 0); }),
            "--samples 1001: the design saltelli needs a multiple of 5, the number of parameters "
            "plus 2, such as 1005");
  EXPECT_THAT(error_of([] { make_design("sobol", 100'000, 1, 0); }),
              testing::HasSubstr("at most 3667 parameters, not 100000"));
}

}  // namespace
}  // namespace torsor::test
