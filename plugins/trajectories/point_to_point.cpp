// Motion from one joint position to another. All joints follow the same time law r (KHALIL
// 8.1, 8.2, 8.3):
//   y = y_i + r(t) D = y_f - (1 - r(t)) D,   D = y_f - y_i
// The first form is used near the start and the second near the goal, so that rounding errors
// vanish at both ends. The coordinates y of spherical, planar and floating joints are relative to
// the start (torsor_trajectory), so the motion takes the shortest path. The time laws and their
// minimum time under limits are in time_law.hpp.

#include "time_law.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

constexpr torsor_param rows[] = {
    sdk::configuration("from", "start position"),
    sdk::configuration("to", "goal position"),
    sdk::real("duration", "s", "duration; default: the minimum time within the limits", 0,
              sdk::no_limit, 0, 0),
    sdk::real("speed", "rad/s, m/s", "speed limit; one value for all coordinates, or one for each",
              0, sdk::no_limit, 0, 0),
    sdk::real("acceleration", "rad/s^2, m/s^2",
              "acceleration limit; one value for all coordinates, or one for each", 0,
              sdk::no_limit, 0, 0),
    sdk::real("ramp", "1", "ramp time as a fraction of the duration, without limits; default 1/4",
              0, 0.5, 0, 0),
    sdk::real("jerk", "rad/s^3, m/s^3",
              "jerk limit; one value for all coordinates, or one for each", 0, sdk::no_limit, 0, 0),
    sdk::real("rise", "1",
              "rise time of the acceleration as a fraction of the ramp, without a jerk limit; "
              "default 1/4",
              0, 0.5, 0, 0),
};

struct PointToPoint {
  static constexpr const char* version = "1.0";

  explicit PointToPoint(const Shape& law) : shape(law) {}

  const Shape& shape;
  std::vector<double> from, to, D, speed, acceleration, jerk, breaks;
  Timing timing;
  TimeLaw r;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index == 0) from.assign(values.begin(), values.end());
    if (index == 1) to.assign(values.begin(), values.end());
    if (index == 2) timing.set_duration(values);
    if (index == 3) speed = positive(values, "rad/s, m/s");
    if (index == 4) acceleration = positive(values, "rad/s^2, m/s^2");
    if (index == 5) timing.set_ramp(values);
    if (index == 6) jerk = positive(values, "rad/s^3, m/s^3");
    if (index == 7) timing.set_rise(values);
  }
  void prepare(const torsor_model&, torsor_sizes&) {
    D.resize(from.size());
    for (size_t j = 0; j < D.size(); ++j) D[j] = to[j] - from[j];
    r = timing.law(shape, {need(D, speed, "speed"), need(D, acceleration, "acceleration"),
                           need(D, jerk, "jerk")});
    if (moves()) r.add_breaks(0, breaks);
  }
  bool moves() const {
    return std::any_of(D.begin(), D.end(), [](double d) { return d != 0; });
  }
  void describe(torsor_motion& out) const {
    out.kind = TORSOR_MOTION_OF_JOINTS;
    out.duration = r.duration;
    out.smoothness = moves() ? shape.smoothness : TORSOR_SMOOTH;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = uint32_t(breaks.size());
    out.breaks = breaks.data();
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    const Rates rates = r(t);
    const size_t n = D.size();
    for (size_t j = 0; j < n; ++j) {
      out[j] = rates[0] < 0.5 ? from[j] + rates[0] * D[j] : to[j] - (1 - rates[0]) * D[j];
      for (int k = 1; k <= order; ++k) out[size_t(k) * n + j] = rates[size_t(k)] * D[j];
    }
    return TORSOR_OK;
  }
};

struct Linear : PointToPoint {
  static constexpr const char* id = "trajectory.linear";
  static constexpr const char* summary =
      "point to point at constant velocity; the velocity jumps at both ends";
  static constexpr auto params = std::span(rows).first<4>();
  Linear() : PointToPoint(shapes[0]) {}
};
struct Cubic : PointToPoint {
  static constexpr const char* id = "trajectory.cubic";
  static constexpr const char* summary =
      "point to point, cubic in time; zero velocity at both ends";
  static constexpr auto params = std::span(rows).first<5>();
  Cubic() : PointToPoint(shapes[1]) {}
};
struct Quintic : PointToPoint {
  static constexpr const char* id = "trajectory.quintic";
  static constexpr const char* summary =
      "point to point, quintic in time; zero velocity and acceleration at both ends";
  static constexpr auto params = std::span(rows).first<5>();
  Quintic() : PointToPoint(shapes[2]) {}
};
struct Septic : PointToPoint {
  static constexpr const char* id = "trajectory.septic";
  static constexpr const char* summary =
      "point to point, septic in time; zero velocity, acceleration and jerk at both ends";
  static constexpr auto params = std::span(rows).first<5>();
  Septic() : PointToPoint(shapes[3]) {}
};
struct BangBang : PointToPoint {
  static constexpr const char* id = "trajectory.bang_bang";
  static constexpr const char* summary =
      "point to point, bang-bang: full acceleration for half the time, then full deceleration";
  static constexpr auto params = std::span(rows).first<5>();
  BangBang() : PointToPoint(shapes[4]) {}
};
struct Trapeze : PointToPoint {
  static constexpr const char* id = "trajectory.trapeze";
  static constexpr const char* summary =
      "point to point with a trapezoidal velocity profile: minimum time within limits of velocity "
      "and acceleration";
  static constexpr auto params = std::span(rows).first<6>();
  Trapeze() : PointToPoint(shapes[5]) {}
};
struct SmoothTrapeze : PointToPoint {
  static constexpr const char* id = "trajectory.smooth_trapeze";
  static constexpr const char* summary =
      "point to point with a trapezoidal velocity profile and continuous acceleration";
  static constexpr auto params = std::span(rows).first<6>();
  SmoothTrapeze() : PointToPoint(shapes[6]) {}
};

struct SCurve : PointToPoint {
  static constexpr const char* id = "trajectory.s_curve";
  static constexpr const char* summary =
      "point to point with trapezoidal acceleration: minimum time within limits of velocity, "
      "acceleration and jerk";
  static constexpr auto params = std::span(rows);
  SCurve() : PointToPoint(shapes[7]) {}
};

}  // namespace

TORSOR_PLUGINS(Linear, Cubic, Quintic, Septic, BangBang, Trapeze, SmoothTrapeze, SCurve)
