#pragma once
// A periodic gait: which feet are in stance, and the motion of a foot in the air.
//
// The stance of a foot with a phase begins at t = start + (k + phase) period for every integer k,
// and lasts for the share `stance` of the period. The rest of the period is a swing. Swings that
// would begin before `start` are left out.

#include <cmath>
#include <optional>
#include <vector>

namespace torsor {

struct Gait {
  double period = 0, start = 0;       // s; period 0: every foot is always in stance
  std::vector<double> stance, phase;  // [feet] shares of the period

  // The swing of a foot: its share s from 0 to 1 that is over, and its duration.
  struct Swing {
    double s, duration;
  };
  // Returns the swing of a foot at time t, or nullopt if it is in stance.
  std::optional<Swing> swing(size_t foot, double t) const {
    if (period == 0) return std::nullopt;
    const double cycles = (t - start) / period - phase[foot], k = std::floor(cycles),
                 air = 1 - stance[foot], into = cycles - k - stance[foot];
    if (air <= 0 || into < 0 || k + phase[foot] + stance[foot] < 0) return std::nullopt;
    return Swing{into / air, air * period};
  }
};

// A function of the share s of a swing with two time derivatives.
struct SwingProfile {
  double value, rate, acceleration;
};
// Returns b(s) = 10 s^3 - 15 s^4 + 6 s^5, which rises from 0 to 1. Rate and acceleration are zero
// at both ends.
inline SwingProfile swing_progress(const Gait::Swing& at) {
  const double s = at.s, T = at.duration;
  return {s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * (1 - s) * (1 - s) / T,
          60 * s * (1 - s) * (1 - 2 * s) / (T * T)};
}
// Returns 64 s^3 (1 - s)^3, which rises from 0 to 1 in the middle and falls to 0. Rate and
// acceleration are zero at both ends.
inline SwingProfile swing_lift(const Gait::Swing& at) {
  const double s = at.s, T = at.duration, p = s * (1 - s);
  return {64 * p * p * p, 192 * p * p * (1 - 2 * s) / T, 384 * p * (1 - 5 * p) / (T * T)};
}

}  // namespace torsor
