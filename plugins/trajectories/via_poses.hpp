#pragma once
// The poses that a path of a frame passes, and the speeds of the frame.

#include <numbers>

#include "time_law.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::trajectories {

// The motion from one pose to the next: D in the axes of the world, turn = log(R_0^T R_1) in the
// axes of the frame.
struct Leg {
  Vec3<double> D, turn;
};

struct ViaPoses {
  std::vector<Pose<double>> X;  // [legs + 1]
  std::vector<Leg> legs;

  ViaPoses() = default;
  // Throws bad_argument if there are fewer than two poses, or if two successive poses are equal.
  explicit ViaPoses(const std::vector<double>& values) {
    for (size_t k = 0; k < values.size(); k += 12)
      X.push_back(*reinterpret_cast<const Pose<double>*>(values.data() + k));
    if (X.size() < 2)
      throw sdk::bad_argument("it has " + std::to_string(X.size()) +
                              " poses; a path needs two or more");
    for (size_t k = 0; k + 1 < X.size(); ++k) {
      legs.push_back({X[k + 1].p - X[k].p, log_so3(transpose(X[k].R) * X[k + 1].R)});
      // Distances and angles up to this size count as equal, m or rad.
      constexpr double same = 1e-9;
      if (norm(legs[k].D) <= same && norm(legs[k].turn) <= same)
        throw sdk::bad_argument("poses " + std::to_string(k + 1) + " and " + std::to_string(k + 2) +
                                " are equal; remove one of them");
    }
  }
};

// A limit of the origin's motion and one of the rotation. A missing limit does not restrict it.
struct LimitPair {
  std::optional<double> linear, angular;  // m/s and rad/s, or their derivatives
  bool any() const { return linear || angular; }
};

// Returns a number that is 0 or larger, or 0 without a limit.
inline double over(double x, const std::optional<double>& limit) {
  return limit ? x / *limit : 0;
}

// Throws bad_argument if a speed is needed and missing.
inline void require_speeds(const ViaPoses& path, const LimitPair& speed) {
  if (!speed.any()) throw sdk::bad_argument("no speed is set; set 'speed', or 'angular_speed'");
  for (size_t k = 0; k < path.legs.size(); ++k) {
    const auto [D, turn] = path.legs[k];
    if (over(norm(D), speed.linear) + over(norm(turn), speed.angular) > 1e-9) continue;
    throw sdk::bad_argument(
        "the frame only " + std::string(speed.linear ? "rotates" : "translates") +
        " between poses " + std::to_string(k + 1) + " and " + std::to_string(k + 2) + "; set '" +
        (speed.linear ? "angular_speed" : "speed") + "' as well");
  }
}

}  // namespace torsor::trajectories
