#include "torsor/simulation/events/event_locator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/integration/zero_search.hpp"

namespace torsor {

EventLocator::EventLocator(Motion& motion)
    : guards_(motion),
      first_stop_(motion.mechanism().frictions.size()),
      g0_(guards_.size()),
      g1_(g0_),
      approach0_(guards_.size() - first_stop_),
      approach1_(approach0_),
      fallen_(g0_.size()),
      idle_(g0_.size()) {}

// Returns the lowest guard. Ignores guards that are zero at both ends of a step, for example the
// guard of a friction at its bound, if another constraint keeps the joint at rest.
double EventLocator::lowest(std::span<const double> guards) const {
  double out = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < guards.size(); ++i)
    if (!idle_[i]) out = std::min(out, guards[i]);
  return out;
}

// Returns the lowest guard at a time within the last step. Writes the guards to g1_.
double EventLocator::lowest_guard(Stepper& stepper, double t) {
  if (!stepper.state_at(t, z_) || !guards_.evaluate(t, z_.data(), g1_)) throw MotionFailed();
  return lowest(g1_);
}

void EventLocator::begin(const Stepper& stepper) {
  const std::span<const double> z = stepper.state();
  z_.assign(z.begin(), z.end());
  if (!guards_.evaluate(stepper.time(), z_.data(), g0_)) throw MotionFailed();
  guards_.approach(z_.data(), approach0_);
}

// Detects an open stop or a separate contact point that the joint approaches at the start of a step
// and leaves at its end. The cubic through both ends then has a minimum within the step. Returns
// the time of the first such minimum below zero, if the lowest guard is negative there.
std::optional<double> EventLocator::grazing(Stepper& stepper, double t0,
                                            std::span<const double> modes) {
  const double h = stepper.time() - t0;
  guards_.approach(stepper.state().data(), approach1_);
  const size_t first = first_stop_;
  for (size_t i = 0; i < approach0_.size(); ++i) {
    if (modes[first + i] != 0 || !(approach0_[i] < 0 && approach1_[i] > 0)) continue;
    // g(s) = g0 + b s + c s^2 + d s^3, s in [0, 1]
    const double b = h * approach0_[i], e = h * approach1_[i],
                 rise = g1_[first + i] - g0_[first + i];
    const double c = 3 * rise - 2 * b - e, d = b + e - 2 * rise;
    const double root = std::sqrt(std::max(0.0, c * c - 3 * b * d)), s = -b / (c + root);
    if (!(s > 0 && s < 1) || g0_[first + i] + s * (b + s * (c + s * d)) >= 0) continue;
    const double t = t0 + s * h;
    if (lowest_guard(stepper, t) < 0) return t;
  }
  return std::nullopt;
}

std::optional<EventTimes> EventLocator::find(Stepper& stepper, double t0,
                                             std::span<const double> modes) {
  const double t1 = stepper.time();
  if (!guards_.evaluate(t1, stepper.state().data(), g1_)) throw MotionFailed();
  for (size_t i = 0; i < idle_.size(); ++i) idle_[i] = g0_[i] == 0 && g1_[i] == 0;
  double after = t1;
  if (lowest(g1_) >= 0) {
    const auto grazed = grazing(stepper, t0, modes);
    if (!grazed) return std::nullopt;
    after = *grazed;
  }
  return search(stepper, t0, after);
}

// Returns times on both sides of the first zero of the lowest guard, as close as the rounding of
// times allows. The guard must be negative at t and not negative at t0. If it is zero at t0, first
// searches for a time at which it is positive.
EventTimes EventLocator::search(Stepper& stepper, double t0, double t) {
  double before = t0, g_before = lowest(g0_), after = t, g_after = lowest_guard(stepper, t);
  for (int k = 1; g_before <= 0 && k <= 40; ++k) {
    const double early = t0 + std::ldexp(t - t0, -k);
    const double g = lowest_guard(stepper, early);
    if (g > 0)
      before = early, g_before = g;
    else if (g < 0)
      after = early, g_after = g;
  }
  if (g_before <= 0) return {t0, after};
  ZeroSearch zero(before, g_before, after, g_after);
  for (auto at = zero.next(); at; at = zero.next()) zero.add_sample(lowest_guard(stepper, *at));
  return {zero.before(), zero.after()};
}

std::span<const char> EventLocator::fallen(Stepper& stepper, const EventTimes& event,
                                           std::span<const double> modes) {
  (void)lowest_guard(stepper, event.after);
  strikes_ = false;
  for (size_t i = 0; i < g1_.size(); ++i) {
    fallen_[i] = g1_[i] < 0;
    strikes_ = strikes_ || (fallen_[i] && i >= first_stop_ && modes[i] == 0);
  }
  return fallen_;
}

}  // namespace torsor
