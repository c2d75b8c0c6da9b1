// Motions of a frame whose origin moves on a straight line while the frame rotates (KHALIL
// 8.48, 8.49, 8.50, 8.53, 8.54, 8.55, 8.56, 8.57):
//   P(t) = P_i + r(t) (P_f - P_i)
//
// straight_line:  R(t) = R_i rot(u, r(t) alpha),   R_i rot(u, alpha) = R_f
//   The axis of rotation is constant both in the frame (u) and in the world (R_i u). Therefore
//   omega = R_i u alpha r', and its derivatives have the same direction (8.57). If alpha = pi, both
//   directions of rotation are equally short, and one of them is chosen.
//
// euler_line:  R(t) = rot(z, phi) rot(x, theta) rot(z, psi)
//   Each Euler angle changes in proportion to r(t) (8.55; its factor R_i is a misprint). phi and
//   psi turn in the shorter direction. The axes z, x, z belong to the intermediate frames:
//     omega = z phi' + rot(z, phi) x theta' + rot(z, phi) rot(x, theta) z psi'
//   The derivatives of omega are computed exactly with power series.
//
// The linear limits apply to the speed and acceleration of the origin. The angular limits apply to
// the angle alpha, or to each Euler angle. If limits determine the duration, each of translation
// and rotation must have a limit unless it is at rest.

#include <numbers>

#include "rate_series.hpp"
#include "torsor/spatial/so3.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

constexpr torsor_param rows[] = {
    sdk::pose("from", "start pose of the frame, in the world"),
    sdk::pose("to", "goal pose of the frame, in the world"),
    sdk::choice("law", "time law of the motion", shape_names, 2),
    sdk::real("duration", "s", "duration; default: the minimum time within the limits", 0,
              sdk::no_limit, 0, 0),
    sdk::real("speed", "m/s", "speed limit of the frame's origin", 0, sdk::no_limit, 0, 0),
    sdk::real("acceleration", "m/s^2", "acceleration limit of the frame's origin", 0, sdk::no_limit,
              0, 0),
    sdk::real("angular_speed", "rad/s", "limit of the angular speed", 0, sdk::no_limit, 0, 0),
    sdk::real("angular_acceleration", "rad/s^2", "limit of the angular acceleration", 0,
              sdk::no_limit, 0, 0),
    sdk::real(
        "ramp", "1",
        "ramp time of a trapezoidal law as a fraction of the duration, without limits; default 1/4",
        0, 0.5, 0, 0),
};

struct Line {
  static constexpr const char* version = "1.0";
  static constexpr auto params = std::span(rows);

  Pose<double> X_i = Pose<double>::identity(), X_f = X_i;
  Vec3<double> D{0, 0, 0};    // P_f - P_i
  std::vector<double> turns;  // alpha, or the changes of the three Euler angles, rad
  std::vector<double> speed, acceleration, angular_speed, angular_acceleration, breaks;
  uint32_t shape = 2;
  Timing timing;
  TimeLaw r;

  void set_param(uint32_t index, std::span<const double> values) {
    if (index < 2) (index == 0 ? X_i : X_f) = *reinterpret_cast<const Pose<double>*>(values.data());
    if (index == 2) shape = uint32_t(values[0]);
    if (index == 3) timing.set_duration(values);
    std::vector<double>* const limits[] = {&speed, &acceleration, &angular_speed,
                                           &angular_acceleration};
    if (index >= 4 && index < 8) {
      *limits[index - 4] = positive(values, rows[index].unit);
      (void)at_most_one(values);
    }
    if (index == 8) timing.set_ramp(values);
  }
  // Throws bad_argument if a part of the motion needs limits that are not set. `part` is "path" or
  // "rotation". `distances` are the lengths in m or the angles in rad of this part. A law with free
  // ramps needs limits of both speed and acceleration, or neither.
  void require_limits(const std::string& part, const std::string& name,
                      const std::vector<double>& distances, const std::vector<double>& rate,
                      const std::vector<double>& second) const {
    // Distances and angles up to this size count as rest, m or rad. Allows for rounding in the
    // poses.
    constexpr double same = 1e-9;
    if (std::all_of(distances.begin(), distances.end(),
                    [](double x) { return std::abs(x) <= same; }))
      return;
    if (rate.empty() && second.empty() && !timing.duration)
      throw sdk::bad_argument("the " + part + " has no limit; set " + name + " or duration");
    if (shapes[shape].has_free_ramps() && rate.empty() != second.empty())
      throw sdk::bad_argument("the ramps of the " + part +
                              " need limits of both speed and acceleration; set both");
  }
  void find_law() {
    D = X_f.p - X_i.p;
    const std::vector<double> distance{norm(D)};
    r = timing.law(
        shapes[shape],
        {greater(need(distance, speed, "speed"), need(turns, angular_speed, "angular_speed")),
         greater(need(distance, acceleration, "acceleration"),
                 need(turns, angular_acceleration, "angular_acceleration"))});
    require_limits("path", "speed", distance, speed, acceleration);
    require_limits("rotation", "angular_speed", turns, angular_speed, angular_acceleration);
    if (moves()) r.add_breaks(0, breaks);
  }
  bool moves() const {
    return norm(D) > 0 ||
           std::any_of(turns.begin(), turns.end(), [](double angle) { return angle != 0; });
  }
  void describe(torsor_motion& out) const {
    out.kind = TORSOR_MOTION_OF_FRAME;
    out.duration = r.duration;
    out.smoothness = moves() ? shapes[shape].smoothness : TORSOR_SMOOTH;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = uint32_t(breaks.size());
    out.breaks = breaks.data();
  }
  // Writes the pose with rotation R, and the derivatives of the position. Sets the angular velocity
  // and its derivatives to zero.
  void put(const Mat3<double>& R, const Rates& rates, int order, double* out) const {
    auto& X = *reinterpret_cast<Pose<double>*>(out);
    X = {R, rates[0] < 0.5 ? X_i.p + rates[0] * D : X_f.p - (1 - rates[0]) * D};
    auto* V = reinterpret_cast<Twist<double>*>(out + 12);
    for (int k = 0; k < order; ++k) V[k] = {{0, 0, 0}, rates[size_t(k) + 1] * D};
  }
};

struct StraightLine : Line {
  static constexpr const char* id = "trajectory.straight_line";
  static constexpr const char* summary =
      "moves a frame along a straight line while it rotates about a fixed axis";

  Vec3<double> turn{0, 0, 0};  // u alpha, in the axes of the frame, rad

  void prepare(const torsor_model&, torsor_sizes&) {
    turn = log_so3(transpose(X_i.R) * X_f.R);
    turns = {norm(turn)};
    find_law();
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    const Rates rates = r(t);
    put(rates[0] < 0.5 ? X_i.R * exp_so3(rates[0] * turn) : X_f.R * exp_so3((rates[0] - 1) * turn),
        rates, order, out);
    const Vec3<double> turn_W = X_i.R * turn;
    auto* V = reinterpret_cast<Twist<double>*>(out + 12);
    for (int k = 0; k < order; ++k) V[k].w = rates[size_t(k) + 1] * turn_W;
    return TORSOR_OK;
  }
};

// Returns (phi, theta, psi) of R = rot(z, phi) rot(x, theta) rot(z, psi) with 0 < theta < pi.
// Throws unsupported if the z axis of the pose is parallel to the z axis of the world.
std::array<double, 3> euler_angles(const Mat3<double>& R, const char* name) {
  const double s = std::hypot(R(0, 2), R(1, 2));
  if (s < 1e-8)
    throw sdk::unsupported(
        "the z axis of pose '" + std::string(name) +
        "' is parallel to that of the world, where the Euler angles z-x-z are not unique; use "
        "straight_line");
  return {std::atan2(R(0, 2), -R(1, 2)), std::atan2(s, R(2, 2)), std::atan2(R(2, 0), R(2, 1))};
}

struct EulerLine : Line {
  static constexpr const char* id = "trajectory.euler_line";
  static constexpr const char* summary =
      "moves a frame along a straight line while its Euler angles z-x-z change in proportion";

  std::array<double, 3> start{};

  void prepare(const torsor_model&, torsor_sizes&) {
    start = euler_angles(X_i.R, "from");
    const std::array<double, 3> end = euler_angles(X_f.R, "to");
    turns = {std::remainder(end[0] - start[0], 2 * std::numbers::pi), end[1] - start[1],
             std::remainder(end[2] - start[2], 2 * std::numbers::pi)};
    find_law();
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    const Rates rates = r(t);
    const auto angle = [&](size_t i) { return start[i] + rates[0] * turns[i]; };
    put((rotation_z(angle(0)) * rotation_x(angle(1)) * rotation_z(angle(2))).R, rates, order, out);
    const Taylor phi = series(start[0], turns[0], rates, 0),
                 theta = series(start[1], turns[1], rates, 0);
    const Taylor phi_dot = series(0, turns[0], rates, 1), theta_dot = series(0, turns[1], rates, 1),
                 psi_dot = series(0, turns[2], rates, 1);
    const Taylor across = sine(theta) * psi_dot;
    const Taylor omega[] = {cosine(phi) * theta_dot + sine(phi) * across,
                            sine(phi) * theta_dot - cosine(phi) * across,
                            phi_dot + cosine(theta) * psi_dot};
    for (int k = 0; k < order; ++k)
      for (int i = 0; i < 3; ++i) out[12 + 6 * k + i] = factorials[k] * omega[i].c[k];
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(StraightLine, EulerLine)
