// Tests of the check that results are finite, for short arrays and for long ones.

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "torsor/plugin/plugin.hpp"

namespace torsor {
namespace {

using Limits = std::numeric_limits<double>;

TEST(AllFinite, AcceptsTheLargestAndTheSmallestNumbers) {
  for (const double x : {0.0, -0.0, Limits::max(), -Limits::max(), Limits::denorm_min(), 1.0})
    for (const size_t n : {0, 1, 16, 17, 49, 100})
      EXPECT_TRUE(all_finite(std::vector(n, x).data(), n)) << x << " " << n;
}

TEST(AllFinite, FindsOneNumberThatIsNotFinite) {
  const double bad[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(),
                        -Limits::quiet_NaN(), Limits::signaling_NaN()};
  for (const double x : bad)
    for (const size_t n : {1, 16, 17, 49, 100})
      for (size_t k = 0; k < n; ++k) {
        std::vector<double> all(n, -Limits::max());
        all[k] = x;
        EXPECT_FALSE(all_finite(all.data(), n)) << x << " at " << k << " of " << n;
      }
}

}  // namespace
}  // namespace torsor
