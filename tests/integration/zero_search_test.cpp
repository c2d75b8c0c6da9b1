// Tests of the search for the zero of a guard: its bracket, its proposals and its number of
// evaluations.

#include "torsor/integration/zero_search.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

namespace torsor::test {
namespace {

using Guard = std::function<double(double)>;

// Searches for the zero of g between t0 and t1, and checks the bracket at each step. Returns the
// number of evaluations between t0 and t1.
int evaluations(const Guard& g, double t0, double t1) {
  ZeroSearch search(t0, g(t0), t1, g(t1));
  int count = 0;
  for (auto t = search.next(); t && count < 1000; t = search.next(), ++count) {
    EXPECT_GT(*t, search.before());
    EXPECT_LT(*t, search.after());
    search.add_sample(g(*t));
  }
  EXPECT_GE(g(search.before()), 0);
  EXPECT_LT(g(search.after()), 0);
  EXPECT_LE(search.after() - search.before(), 2 * 0x1p-52 * std::max(std::abs(t1), t1 - t0));
  return count;
}

// Checks guards that are typical of events, over steps of 1 ms and 10 ms. In a step of 1 ms,
// bisection takes 51 evaluations from time 0, 41 from 1 s and 35 from 100 s.
TEST(ZeroSearch, NeedsFewEvaluations) {
  for (const double start : {0.0, 1.0, 100.0})
    for (const double h : {1e-3, 1e-2}) {
      SCOPED_TRACE(std::to_string(start) + " s, step " + std::to_string(h) + " s");
      const auto at = [&](const std::function<double(double)>& of_step) {
        return evaluations([&](double t) { return of_step(t - start); }, start, start + h);
      };
      EXPECT_LE(at([&](double s) { return 0.37 * h - s; }), 4) << "a constant approach";
      EXPECT_LE(at([&](double s) { return 1.2 * h - 2 * s - 4.9 * s * s; }), 16)
          << "a fall onto a stop";
      EXPECT_LE(at([&](double s) { return std::exp(-20 * s / h) - 1e-3; }), 26)
          << "a force that decays";
      EXPECT_LE(at([&](double s) { return std::min(0.6 - s / h, 1 - 2.2 * s * s / (h * h)); }), 16)
          << "the lower of two";
    }
}

// Checks guards for which linear interpolation does not help: a jump, and a zero of third order.
// The bound is three times the 52 steps of bisection.
TEST(ZeroSearch, IsBoundedForEveryGuard) {
  for (const double start : {0.0, 1.0, 100.0}) {
    EXPECT_LE(
        evaluations([&](double t) { return t - start < 1.23e-4 ? 1 : -1e-3; }, start, start + 1e-3),
        156);
    EXPECT_LE(
        evaluations([&](double t) { return -std::pow(t - start - 4e-4, 3); }, start, start + 1e-3),
        156);
  }
}

// Checks the Illinois rule: the value at an end is halved if the other end moves twice in a row. It
// is not halved if the ends move in turn.
TEST(ZeroSearch, HalvesAnEndThatStaysTwice) {
  const auto line = [](double a, double g_a, double b, double g_b) {
    return a - g_a * (b - a) / (g_b - g_a);
  };
  ZeroSearch turns(0, 1, 1, -3);
  double t = *turns.next();
  EXPECT_DOUBLE_EQ(t, 0.25);
  turns.add_sample(-1);
  const double second = *turns.next();
  EXPECT_DOUBLE_EQ(second, line(0, 1, t, -1)) << "the first move halves nothing";
  turns.add_sample(0.25);
  EXPECT_DOUBLE_EQ(*turns.next(), (second + t) / 2) << "every third one is the middle";
  turns.add_sample(-0.5);
  const double middle = (second + t) / 2;
  EXPECT_DOUBLE_EQ(*turns.next(), line(second, 0.25, middle, -0.5)) << "the ends took turns";

  ZeroSearch stays(0, 1, 1, -3);
  stays.next();
  stays.add_sample(-1);
  const double next = *stays.next();
  // The same end moves a second time, to 0.125.
  stays.add_sample(-0.5);
  EXPECT_DOUBLE_EQ(next, 0.125);
  EXPECT_DOUBLE_EQ(*stays.next(), 0.0625);
  stays.add_sample(0.25);
  const double fourth = *stays.next();
  EXPECT_DOUBLE_EQ(fourth, line(0.0625, 0.25, 0.125, -0.5))
      << "an end that moves has its own value";

  ZeroSearch twice(0, 1, 1, -8);
  twice.next();
  twice.add_sample(-4);
  const double at = *twice.next();
  twice.add_sample(-2);
  twice.next();  // the middle
  twice.add_sample(-1.5);
  EXPECT_DOUBLE_EQ(*twice.next(), line(0, 0.25, at / 2, -1.5))
      << "halved with the second and the third move";
}

TEST(ZeroSearch, EndsAtAnExactZero) {
  ZeroSearch search(1, 0.5, 2, -0.5);
  EXPECT_DOUBLE_EQ(*search.next(), 1.5);
  search.add_sample(0);
  const double next = *search.next();
  EXPECT_LT(next, 1.5 + 1e-15) << "the smallest step beyond the zero";
  search.add_sample(-1e-16);
  EXPECT_FALSE(search.next());
  EXPECT_EQ(search.before(), 1.5);
  EXPECT_EQ(search.after(), next);
}

// Checks infinite values at the ends, between which no line can be drawn.
TEST(ZeroSearch, BisectsInfiniteValues) {
  ZeroSearch search(0, INFINITY, 1, -INFINITY);
  EXPECT_EQ(*search.next(), 0.5);
}

}  // namespace
}  // namespace torsor::test
