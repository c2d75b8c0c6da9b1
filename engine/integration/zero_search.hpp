#pragma once
// Searches for the first zero of a guard between two times, by the Illinois method.

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace torsor {

// A bracket of a sign change: a time `before`, where the guard g is not negative, and a later time
// `after`, where g is negative. next() proposes a time, and add_sample() receives the guard at this
// time, until the ends are about as close as neighbouring doubles:
//
//   for (auto t = search.next(); t; t = search.next()) search.add_sample(g(*t));
//
// The proposal is the zero of the line through both ends, (before, g_before) and (after, g_after).
// - If g is curved, one end would never move. The stored value of an end is therefore halved each
//   time that the other end moves twice in a row (Illinois method). Halving at every move would
//   make the line miss the zero each time, and the search as slow as bisection.
// - Each proposal is at least half of the tolerance away from both ends, so that a line through an
//   exact zero closes the bracket.
// - Every third proposal is the middle. The search therefore takes at most three times the steps of
//   bisection, even for a guard that jumps.
class ZeroSearch {
 public:
  // Requires before < after and g_before >= 0 > g_after.
  ZeroSearch(double before, double g_before, double after, double g_after)
      : before_(before),
        after_(after),
        g_before_(g_before),
        g_after_(g_after),
        half_tolerance_(std::numeric_limits<double>::epsilon() *
                        std::max(std::abs(after), after - before)) {}

  // Returns the time at which add_sample() requires the guard, or nullopt if the distance of the
  // ends is within the tolerance.
  std::optional<double> next() {
    if (!(after_ - before_ > 2 * half_tolerance_)) return std::nullopt;
    const double middle = before_ + (after_ - before_) / 2;
    const double line = before_ - g_before_ * (after_ - before_) / (g_after_ - g_before_);
    const double bounded =
        std::min(std::max(line, before_ + half_tolerance_), after_ - half_tolerance_);
    const bool is_middle = ++proposals_ % 3 == 0 || !(bounded > before_ && bounded < after_);
    t_ = is_middle ? middle : bounded;
    if (!(t_ > before_ && t_ < after_)) return std::nullopt;
    return t_;
  }

  void add_sample(double g) {
    const End moved = g >= 0 ? End::before : End::after;
    const double weight = moved == last_moved_ ? 0.5 : 1;
    if (moved == End::before) {
      before_ = t_, g_before_ = g, g_after_ *= weight;
    } else {
      after_ = t_, g_after_ = g, g_before_ *= weight;
    }
    last_moved_ = moved;
  }

  double before() const { return before_; }
  double after() const { return after_; }

 private:
  enum class End { none, before, after };

  double before_, after_, g_before_, g_after_;
  double half_tolerance_, t_ = 0;
  int proposals_ = 0;
  End last_moved_ = End::none;
};

}  // namespace torsor
