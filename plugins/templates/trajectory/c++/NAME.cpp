// trajectory.@NAME@: a cycloidal motion from joint position y_0 to y_1 in the time T:
//   y(t) = y_0 + r(t) (y_1 - y_0),   r = s - sin(2 pi s) / (2 pi),   s = t / T
// Velocity and acceleration are zero at both ends. The jerk jumps there. y are coordinates, one per
// dof (see torsor_trajectory). The host computes q, v and the derivatives of v from y for every
// kind of joint.

#include <cmath>
#include <numbers>
#include <vector>

#include "torsor/sdk/torsor_plugin.hpp"

using namespace torsor;

namespace {

struct Trajectory {
  static constexpr const char* id = "trajectory.@NAME@";
  static constexpr const char* version = "0.1";
  static constexpr const char* summary = "a cycloid from one position to another";
  static constexpr torsor_param params[] = {
      sdk::configuration("from", "first position"),
      sdk::configuration("to", "last position"),
      // name, unit, help, min, max, initial
      sdk::real("duration", "s", "duration of the motion", 1e-3, sdk::no_limit, 1),
  };

  std::vector<double> from, to;
  double breaks[2] = {0, 1};  // 0 and T

  // [setup] Sets the values of params[index]. The host has checked their range.
  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 2)
      breaks[1] = values[0];
    else
      (index == 0 ? from : to).assign(values.begin(), values.end());
  }

  // [setup] Describes the duration, the smoothness and the times at which a derivative jumps.
  void describe(torsor_motion& out) const {
    out.kind = TORSOR_MOTION_OF_JOINTS;
    out.duration = breaks[1];
    out.smoothness = 2;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = 2;
    out.breaks = breaks;
  }

  // [hot] Computes y and its derivatives up to `order`, out [order + 1][n_v], at t in [0, T].
  torsor_status evaluate(double t, int order, double*, double* out) const {
    const size_t n = from.size();
    const double w = 2 * std::numbers::pi / breaks[1];
    const double s = std::sin(w * t), c = std::cos(w * t);
    const double scale = w / (2 * std::numbers::pi);
    const double r[] = {scale * (t - s / w), scale * (1 - c), scale * w * s, scale * w * w * c,
                        -scale * w * w * w * s};
    for (size_t k = 0; k <= size_t(order); ++k)
      for (size_t j = 0; j < n; ++j)
        out[k * n + j] = (k == 0 ? from[j] : 0) + r[k] * (to[j] - from[j]);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Trajectory)
