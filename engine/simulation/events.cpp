// Events within a step: locates the first zero of a guard and applies the transition (motion.hpp).

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "torsor/integration/zero_search.hpp"
#include "torsor/simulation/motion.hpp"
#include "torsor/simulation/simulation.hpp"

namespace torsor {

namespace {
constexpr double infinite = std::numeric_limits<double>::infinity();
}

// Returns the lowest guard. Ignores guards that are zero at both ends of a step, for example the
// guard of a friction at its bound, if another constraint keeps the joint at rest.
double Simulation::lowest(std::span<const double> guards) const {
  double out = infinite;
  for (size_t i = 0; i < guards.size(); ++i)
    if (!idle_[i]) out = std::min(out, guards[i]);
  return out;
}

// Returns the lowest guard at a time within the last step. Writes the state at this time to z1_.
double Simulation::lowest_guard(double t) {
  if (!stepper_->state_at(t, z1_) || !motion_->guard_values(t, z1_.data(), g1_))
    require(motion_->failure());
  return lowest(g1_);
}

// Stores the state, the guards and the rates of the stop guards at the start of a step. The search
// for events uses them.
void Simulation::record_guards() {
  const std::span<const double> z = stepper_->state();
  std::copy(z.begin(), z.end(), z0_.begin());
  if (!motion_->guard_values(stepper_->time(), z0_.data(), g0_)) require(motion_->failure());
  motion_->approach(z0_.data(), approach0_);
}

// Detects an open stop that the joint approaches at the start of a step and leaves at its end. The
// cubic through both ends then has a minimum within the step. Returns the time of the first such
// minimum below zero, if the lowest guard is negative there.
std::optional<double> Simulation::grazing(double t0) {
  const double h = stepper_->time() - t0;
  motion_->approach(stepper_->state().data(), approach1_);
  const size_t first = g0_.size() - approach0_.size();
  for (size_t i = 0; i < approach0_.size(); ++i) {
    if (next_.modes[first + i] != 0 || !(approach0_[i] < 0 && approach1_[i] > 0)) continue;
    // g(s) = g0 + b s + c s^2 + d s^3, s in [0, 1]
    const double b = h * approach0_[i], e = h * approach1_[i],
                 rise = g1_[first + i] - g0_[first + i];
    const double c = 3 * rise - 2 * b - e, d = b + e - 2 * rise;
    const double root = std::sqrt(std::max(0.0, c * c - 3 * b * d)), s = -b / (c + root);
    if (!(s > 0 && s < 1) || g0_[first + i] + s * (b + s * (c + s * d)) >= 0) continue;
    const double t = t0 + s * h;
    if (lowest_guard(t) < 0) return t;
  }
  return std::nullopt;
}

std::optional<Simulation::Event> Simulation::find_event(double t0) {
  if (motion_->guards() == 0) return std::nullopt;
  const double t1 = stepper_->time();
  if (!motion_->guard_values(t1, stepper_->state().data(), g1_)) require(motion_->failure());
  for (size_t i = 0; i < idle_.size(); ++i) idle_[i] = g0_[i] == 0 && g1_[i] == 0;
  double after = t1;
  if (lowest(g1_) >= 0) {
    const auto grazed = grazing(t0);
    if (!grazed) return std::nullopt;
    after = *grazed;
  }
  return search(t0, after);
}

// Returns times on both sides of the first zero of the lowest guard, as close as the rounding of
// times allows. The guard must be negative at t and not negative at t0. If it is zero at t0, first
// searches for a time at which it is positive.
Simulation::Event Simulation::search(double t0, double t) {
  double before = t0, g_before = lowest(g0_), after = t, g_after = lowest_guard(t);
  for (int k = 1; g_before <= 0 && k <= 40; ++k) {
    const double early = t0 + std::ldexp(t - t0, -k);
    const double g = lowest_guard(early);
    if (g > 0)
      before = early, g_before = g;
    else if (g < 0)
      after = early, g_after = g;
  }
  if (g_before <= 0) return {t0, after};
  ZeroSearch zero(before, g_before, after, g_after);
  for (auto at = zero.next(); at; at = zero.next()) zero.add_sample(lowest_guard(*at));
  return {zero.before(), zero.after()};
}

// Applies an event. At a stop, uses the state just before the event, which is not beyond the stop.
// Otherwise uses the state just after the event, where the event has certainly occurred.
void Simulation::process_event(const Event& event) {
  (void)lowest_guard(event.after);
  const size_t first = g1_.size() - approach0_.size();
  bool strikes = false;
  for (size_t i = 0; i < g1_.size(); ++i) {
    fallen_[i] = g1_[i] < 0;
    strikes = strikes || (fallen_[i] && i >= first && next_.modes[i] == 0);
  }
  const double t = strikes ? event.before : event.after;
  if (!stepper_->state_at(t, z1_)) require(motion_->failure());
  take_state(t, z1_);
  // A rebound shorter than a thousandth of a step is suppressed: no recording can show it.
  require(motion_->transition(next_, t, fallen_, 1e-3 * dt_));
  // Limits the next internal step. A method of low order cannot resolve a flight that is shorter
  // than this step.
  if (std::isfinite(motion_->flight()))
    next_.next_step =
        std::min(next_.next_step > 0 ? next_.next_step : infinite, motion_->flight() / 16);
  restart(t);
}

}  // namespace torsor
