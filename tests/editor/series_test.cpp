// Tests of series: the extremes of any part equal those of its samples.

#include "editor/probe/series.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "editor/probe/run_history.hpp"
#include "torsor/base/random.hpp"

namespace torsor::editor::test {
namespace {

void expect_extremes(const Series& series, size_t begin, size_t end) {
  Extremes expected;
  for (size_t i = begin; i < end; ++i) expected.include(series[i]);
  const Extremes found = series.extremes(begin, end);
  EXPECT_EQ(found.low, expected.low) << begin << " to " << end;
  EXPECT_EQ(found.high, expected.high) << begin << " to " << end;
  EXPECT_EQ(found.above, expected.above) << begin << " to " << end;
  EXPECT_EQ(found.below, expected.below) << begin << " to " << end;
}

TEST(Series, ExtremesOfAnyPart) {
  Random random(7);
  Series series;
  for (int i = 0; i < 500; ++i)
    series.push(i % 97 == 13 ? double(INFINITY) : i % 61 == 0 ? NAN : random.uniform(-2, 2));
  for (size_t begin = 0; begin <= series.size(); begin += 7)
    for (size_t end = begin; end <= series.size(); end += 3) expect_extremes(series, begin, end);
}

TEST(Series, WhatWasCutOffLeavesNothing) {
  for (const size_t size : {90u, 65u, 64u, 63u, 1u, 0u}) {
    Series series;
    for (int i = 0; i < 100; ++i) series.push(1000 + i);
    series.truncate(size);
    ASSERT_EQ(series.size(), size);
    expect_extremes(series, 0, size);
    for (int i = 0; i < 70; ++i) series.push(i);
    for (size_t end = 0; end <= series.size(); ++end) expect_extremes(series, 0, end);
  }
}

TEST(Series, InfinityAndNanAreNotExtremes) {
  Series series;
  for (const double value : {1.0, double(INFINITY), double(NAN), -2.0}) series.push(value);
  const Extremes found = series.extremes(0, 4);
  EXPECT_EQ(found.low, -2);
  EXPECT_EQ(found.high, 1);
  EXPECT_TRUE(found.above);
  EXPECT_FALSE(found.below);
  EXPECT_FALSE(series.extremes(1, 3).any_finite());
  EXPECT_FALSE(series.extremes(2, 2).any_finite());
}

// Adds values at times in any order. The intervals must become longer with the run.
TEST(RunHistory, KeepsTheLargestValueOfEachInterval) {
  RunHistory history(RunHistory::Keep::largest);
  std::vector<double> worst(5000, 0.0);
  for (int k = 0; k < 20000; ++k) {
    const size_t i = size_t(k * 7919LL % 5000);
    const double value = std::abs(std::sin(k * 1.7));
    worst[i] = std::max(worst[i], value);
    history.add(double(i) * 0.01, value);
  }
  history.add(1, std::nan(""));
  EXPECT_LE(history.size(), RunHistory::most);
  EXPECT_GE(double(history.size()) * history.width(), 49.99);
  for (size_t k = 0; k < history.size(); ++k) {
    double expected = 0;
    for (size_t i = 0; i < worst.size(); ++i)
      if (size_t(double(i) * 0.01 / history.width()) == k) expected = std::max(expected, worst[i]);
    EXPECT_EQ(history[k], expected) << k;
  }
  EXPECT_TRUE(std::isnan(history.at(1e9)));
  RunHistory smallest(RunHistory::Keep::smallest);
  smallest.add(0, 3);
  smallest.add(0, 2);
  smallest.add(100, 5);
  EXPECT_EQ(smallest.at(0), 2);
  EXPECT_TRUE(std::isnan(smallest.at(50)));
}

}  // namespace
}  // namespace torsor::editor::test
