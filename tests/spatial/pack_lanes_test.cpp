// Tests of moves of numbers between the lanes of packs: each lane must receive its own number.

#include <gtest/gtest.h>

#include <array>
#include <numeric>

#include "torsor/spatial/pack.hpp"

namespace torsor::test {
namespace {

template <class Lanes>
class PackLanes : public testing::Test {
 protected:
  static constexpr int N = Lanes::value;
  // Returns x, x + 1, x + 2, ...
  static Pack<N> counted(double x) {
    typename Pack<N>::Lanes lanes;
    for (int l = 0; l < N; ++l) lanes[l] = x + l;
    return Pack<N>(lanes);
  }
};
using NumbersOfLanes = testing::Types<std::integral_constant<int, 2>,
                                      std::integral_constant<int, (native_lanes > 4 ? 4 : 2)>,
                                      std::integral_constant<int, native_lanes>>;
TYPED_TEST_SUITE(PackLanes, NumbersOfLanes);

TYPED_TEST(PackLanes, PermuteToAnyOtherLane) {
  constexpr int N = TypeParam::value;
  for (int shift = 0; shift < N; ++shift)
    for (const int step : {1, N - 1, 0}) {
      LaneNumbers<N> from;
      for (int l = 0; l < N; ++l) from.set(l, (shift + l * step) % N);
      const Pack<N> y = permute(this->counted(10), from);
      for (int l = 0; l < N; ++l) EXPECT_EQ(y[l], 10 + (shift + l * step) % N);
    }
}

TYPED_TEST(PackLanes, AreSelectedByAMask) {
  constexpr int N = TypeParam::value;
  for (int bits = 0; bits < 1 << N; ++bits) {
    LaneNumbers<N> mask;
    for (int l = 0; l < N; ++l) mask.set(l, bits >> l & 1 ? -1 : 0);
    const Pack<N> a = this->counted(10), b = this->counted(20), c = select(mask, a, b),
                  d = keep(mask, a);
    for (int l = 0; l < N; ++l) {
      EXPECT_EQ(c[l], bits >> l & 1 ? 10 + l : 20 + l);
      EXPECT_EQ(d[l], bits >> l & 1 ? 10 + l : 0);
    }
  }
}

TYPED_TEST(PackLanes, AreLoadedFromRowsAndColumns) {
  constexpr int N = TypeParam::value, columns = 10, rows = 9;
  std::array<double, rows * columns> table;
  std::iota(table.begin(), table.end(), 1.0);
  std::array<int, N> row;
  for (int l = 0; l < N; ++l) row[l] = (5 * l + 3) % rows;
  const Pack<N> x = load_at<N>(table.data(), row.data());
  for (int l = 0; l < N; ++l) EXPECT_EQ(x[l], table[row[l]]);
  int next = 0;
  load_columns<N, columns>(table.data(), row.data(), [&](int k, const Pack<N>& column) {
    EXPECT_EQ(k, next++);
    for (int l = 0; l < N; ++l) EXPECT_EQ(column[l], table[columns * row[l] + k]);
  });
  EXPECT_EQ(next, columns);
}

}  // namespace
}  // namespace torsor::test
