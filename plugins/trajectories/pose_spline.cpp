// A path of a frame on a spline through via poses, at a chosen speed (KHALIL, section 8.1, class
// 4).
//
// The path is a function of a parameter x, with cubic pieces of length h from pose k to pose k + 1:
//   p(x) = P_k + cubic,   R(x) = R_k exp(theta(x)),   theta(x) = c_1 x + c_2 x^2 + c_3 x^3
// They are Hermite polynomials of the velocity p' and the body-fixed angular velocity
//   w = J(theta) theta',   J(theta) = dexp_(-theta)
// at both ends, where theta = 0 and theta = log(R_k^T R_(k+1)). p' at the poses makes p''
// continuous (pieces.hpp). w at the inner poses makes w' continuous, which is one equation for each
// pose:
//   w' at the end of the piece before = w' at the start of the piece after
// For small rotations it is the equation of a cubic spline, whose diagonal 4 (1/h + 1/k) is twice
// the sum of the other coefficients. The Gauss-Seidel iteration divides by it and converges for
// rotations up to half a turn between poses. p' and w at both ends of the path are those of the
// cubic through the first or last four poses, with the rotations in logarithmic coordinates. The
// path does not depend on the frame that is called the world, nor on the choice of the frame on the
// body, as far as its rotation is concerned. For rotations about one axis, it is the cubic spline
// of the angle.
//
// The speed along the path determines x(t). With limits V of the origin and W of the rotation,
//   g(x) = sqrt(|p'|^2 / V^2 + |w|^2 / W^2),   s(x) = integral of g,   s(t) = r(t) S
// S is the length in s, and r the time law. At r' S = 1, the length of (|v| / V, |omega| / W) is
// exactly 1: neither limit is exceeded, and without a limit of the rotation the origin has exactly
// the speed V. h is the same length of the straight motion from pose to pose. The acceleration is
// continuous, because p'' and w' are. The limits of acceleration apply to the acceleration along
// the path: S r'' V and S r'' W.
//
// The integral is computed by Gauss's formula with 8 points on 16 parts of each piece, and s(x) is
// inverted by Newton's method. The derivatives are power series: with xdot = s' r'(t) S / g(x), the
// coefficients of x(t) follow from one another.

#include "pieces.hpp"
#include "rate_series.hpp"
#include "via_poses.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

constexpr torsor_param rows[] = {
    sdk::poses("poses", "poses of the frame in the world, in order"),
    sdk::choice("law", "time law of the motion along the path", shape_names, 6),
    sdk::real("speed", "m/s", "speed of the frame's origin", 0, sdk::no_limit, 0, 0),
    sdk::real("angular_speed", "rad/s", "limit of the angular speed", 0, sdk::no_limit, 0, 0),
    sdk::real("acceleration", "m/s^2", "acceleration limit along the path of the origin", 0,
              sdk::no_limit, 0, 0),
    sdk::real("angular_acceleration", "rad/s^2", "limit of the change of the angular speed", 0,
              sdk::no_limit, 0, 0),
    sdk::real("duration", "s", "duration; default: the minimum time within the limits", 0,
              sdk::no_limit, 0, 0),
};

using Cubic = std::array<Vec3<double>, 4>;  // coefficients

// Returns the series of a cubic about x, and of its derivative.
Vec3<Taylor> about(const Cubic& c, double x) {
  const Vec3<double> at[] = {c[0] + x * (c[1] + x * (c[2] + x * c[3])),
                             c[1] + x * (2 * c[2] + 3 * x * c[3]), c[2] + 3 * x * c[3], c[3]};
  Vec3<Taylor> out;
  for (size_t k = 0; k < 4; ++k) out.x.c[k] = at[k].x, out.y.c[k] = at[k].y, out.z.c[k] = at[k].z;
  return out;
}
Taylor rate(const Taylor& x) {
  Taylor out;
  for (size_t k = 0; k + 1 < Taylor::size; ++k) out.c[k] = double(k + 1) * x.c[k + 1];
  return out;
}
Vec3<Taylor> rate(const Vec3<Taylor>& x) {
  return {rate(x.x), rate(x.y), rate(x.z)};
}
// Returns w = dexp_(-theta) theta'; with -theta, the angular velocity in the axes of the frame at
// theta = 0.
Vec3<Taylor> angular_velocity(const Vec3<Taylor>& theta, const Vec3<Taylor>& theta_rate) {
  const Vec3<Taylor> zero{};
  return dexp(Twist<Taylor>{theta, zero}, Twist<Taylor>{theta_rate, zero}).w;
}

struct Turn {
  double h;            // length of the piece in x
  Vec3<double> whole;  // theta at its end
  Cubic c{};

  // Sets the angular velocities at both ends.
  void set(const Vec3<double>& w_0, const Vec3<double>& w_1) {
    const Vec3<double> rate_1 = left_jacobian_inverse(-whole, w_1);
    c = {Vec3<double>{0, 0, 0}, w_0, 1 / (h * h) * (3.0 * whole - h * (2.0 * w_0 + rate_1)),
         1 / (h * h * h) * (h * (w_0 + rate_1) - 2.0 * whole)};
  }
  Vec3<double> acceleration(double x) const {
    const Vec3<Taylor> theta = about(c, x);
    return derivative(angular_velocity(theta, rate(theta)), 1);
  }
};

// Returns the angular velocity in R[0] of the cubic through R[0], R[1] .. at the given x. Uses
// fewer rotations if their angles add up to more than half a turn, where the logarithm is not
// unique.
Vec3<double> angular_slope_at_first(const std::vector<double>& x,
                                    const std::vector<Mat3<double>>& R) {
  std::vector<double> at{x[0]}, y[3] = {{0}, {0}, {0}};
  double turned = 0;
  for (size_t k = 1; k < R.size() && k < 4; ++k) {
    turned += norm(log_so3(transpose(R[k - 1]) * R[k]));
    if (k > 1 && turned > std::numbers::pi) break;
    const Vec3<double> u = log_so3(transpose(R[0]) * R[k]);
    at.push_back(x[k]);
    y[0].push_back(u.x), y[1].push_back(u.y), y[2].push_back(u.z);
  }
  return {slope_at_first(at, y[0]), slope_at_first(at, y[1]), slope_at_first(at, y[2])};
}

// Returns the pieces of the rotation for the parameters x of the poses.
std::vector<Turn> rotation_spline(const ViaPoses& path, const std::vector<double>& x) {
  const size_t n = path.legs.size();
  std::vector<Turn> out;
  std::vector<Mat3<double>> R, back;
  std::vector<double> x_back;
  for (size_t k = 0; k < n; ++k) out.push_back({x[k + 1] - x[k], path.legs[k].turn});
  for (size_t k = 0; k <= n; ++k) {
    R.push_back(path.X[k].R);
    back.push_back(path.X[n - k].R);
    x_back.push_back(x[n - k]);
  }
  std::vector<Vec3<double>> w(n + 1);
  for (size_t k = 1; k < n; ++k)
    w[k] = 0.5 * (1 / out[k - 1].h * out[k - 1].whole + 1 / out[k].h * out[k].whole);
  w[0] = angular_slope_at_first(x, R);
  w[n] = angular_slope_at_first(x_back, back);
  for (size_t k = 0; k < n; ++k) out[k].set(w[k], w[k + 1]);

  // The change of w in one sweep falls by about 4. It stops at rounding errors.
  constexpr int sweeps = 300;
  double change = 0, size = 0;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    change = size = 0;
    for (size_t k = 1; k < n; ++k) {
      Turn &a = out[k - 1], &b = out[k];
      const Vec3<double> step = 1 / (4 / a.h + 4 / b.h) * (a.acceleration(a.h) - b.acceleration(0));
      w[k] -= step;
      a.set(w[k - 1], w[k]);
      b.set(w[k], w[k + 1]);
      change = std::max(change, norm(step));
      size = std::max(size, norm(w[k]));
    }
    if (change <= 1e-15 * size) return out;
  }
  if (!(change <= 1e-12 * size))
    throw sdk::bad_argument(
        "the rotations between the poses are too large for a smooth path; add poses between them");
  return out;
}

// Nodes and weights of Gauss's formula on [-1, 1]; the others are symmetric.
constexpr double nodes[] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                            0.9602898564975363};
constexpr double weights[] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                              0.1012285362903763};

struct PoseSpline {
  static constexpr const char* id = "trajectory.pose_spline";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "moves a frame on a spline through via poses at constant speed; continuous acceleration";
  static constexpr auto params = std::span(rows);
  static constexpr size_t parts = 16;  // of each piece, for the length

  std::vector<double> values, breaks, pose_times;
  LimitPair speed, acceleration;
  uint32_t shape = 6;
  Timing timing;
  TimeLaw r;
  ViaPoses path;
  std::vector<double> x;        // [poses]
  std::vector<Cubic> position;  // [legs]
  std::vector<Turn> rotation;   // [legs]
  std::vector<double> length;   // [legs * parts + 1] s at the parts of the pieces

  void set_param(uint32_t index, std::span<const double> given) {
    if (index == 0) values.assign(given.begin(), given.end());
    if (index == 1) shape = uint32_t(given[0]);
    std::optional<double>* const limits[] = {&speed.linear, &speed.angular, &acceleration.linear,
                                             &acceleration.angular};
    if (index >= 2 && index < 6)
      *limits[index - 2] = at_most_one(positive(given, rows[index].unit));
    if (index == 6) timing.set_duration(given);
  }

  void prepare(const torsor_model&, torsor_sizes&) {
    path = ViaPoses(values);
    require_speeds(path, speed);
    x = {0};
    for (const auto& [D, turn] : path.legs)
      x.push_back(x.back() +
                  std::hypot(over(norm(D), speed.linear), over(norm(turn), speed.angular)));
    set_position();
    rotation = rotation_spline(path, x);
    measure();
    const double S = length.back();
    const auto longest = [&](double rate, std::optional<double> limit) {
      return limit ? std::optional(S * rate / *limit) : std::nullopt;
    };
    require_acceleration();
    r = timing.law(shapes[shape],
                   {S, greater(longest(speed.linear.value_or(0), acceleration.linear),
                               longest(speed.angular.value_or(0), acceleration.angular))});
    find_breaks();
  }

  // An acceleration limit restricts the motion through the speed of the same kind.
  void require_acceleration() const {
    for (const bool linear : {true, false})
      if (linear ? acceleration.linear && !speed.linear : acceleration.angular && !speed.angular)
        throw sdk::bad_argument(linear
                                    ? "'acceleration' needs 'speed'; set it too"
                                    : "'angular_acceleration' needs 'angular_speed'; set it too");
  }

  void set_position() {
    Path through;
    through.n = 3;
    through.t = x;
    for (const Pose<double>& X : path.X) through.y.insert(through.y.end(), {X.p.x, X.p.y, X.p.z});
    const Pieces pieces = interpolated(through, true);
    for (size_t k = 0; k < path.legs.size(); ++k) {
      Cubic c;
      const auto* own = &pieces.c[3 * k];
      for (size_t i = 0; i < 4; ++i) c[i] = {own[0][i], own[1][i], own[2][i]};
      position.push_back(c);
    }
  }

  // Returns g at the distance u from the start of a piece.
  double slope(size_t piece, double u) const {
    const auto rate = [u](const Cubic& c) { return c[1] + u * (2 * c[2] + 3 * u * c[3]); };
    const Cubic& c = rotation[piece].c;
    const Vec3<double> theta = u * (c[1] + u * (c[2] + u * c[3]));
    return std::hypot(over(norm(rate(position[piece])), speed.linear),
                      over(norm(left_jacobian(-theta, rate(c))), speed.angular));
  }
  Taylor g_squared(const Vec3<Taylor>& v, const Vec3<Taylor>& w) const {
    const double a = over(1, speed.linear), b = over(1, speed.angular);
    return a * a * dot(v, v) + b * b * dot(w, w);
  }
  double integral(size_t piece, double from, double to) const {
    const double half = (to - from) / 2, middle = (to + from) / 2;
    double sum = 0;
    for (size_t k = 0; k < std::size(nodes); ++k)
      sum += weights[k] *
             (slope(piece, middle - half * nodes[k]) + slope(piece, middle + half * nodes[k]));
    return half * sum;
  }

  // Computes the length. Throws bad_argument if the path turns back. g is 1 on straight motions. At
  // a sharp turn, g is small: with the length h of a piece, the radius of the turn is about
  // g^2 h / 6, and is below 2 mm for each m of h if g is less than 0.1.
  void measure() {
    length = {0};
    constexpr int samples = 8;  // of each part
    for (size_t k = 0; k < path.legs.size(); ++k)
      for (size_t i = 0; i < parts; ++i) {
        const double step = rotation[k].h / parts;
        for (int j = 0; j <= samples; ++j)
          if (slope(k, (double(i) + double(j) / samples) * step) < 0.1)
            throw sdk::bad_argument("the path turns back or turns too sharply between poses " +
                                    std::to_string(k + 1) + " and " + std::to_string(k + 2) +
                                    "; add poses around this place, or join two paths there");
        length.push_back(length.back() + integral(k, double(i) * step, double(i + 1) * step));
      }
  }

  // Returns the time at which the motion has the length s.
  double time_of(double s) const {
    double low = 0, high = r.duration;
    while (true) {
      const double middle = (low + high) / 2;
      if (middle <= low || middle >= high) return high;
      (r(middle)[0] * length.back() < s ? low : high) = middle;
    }
  }
  void find_breaks() {
    r.add_breaks(0, breaks);
    for (size_t k = 1; k < path.legs.size(); ++k) {
      pose_times.push_back(time_of(length[k * parts]));
      breaks.push_back(pose_times.back());
    }
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  }
  void describe(torsor_motion& out) const {
    const int law = shapes[shape].smoothness;
    out.kind = TORSOR_MOTION_OF_FRAME;
    out.duration = r.duration;
    out.smoothness = path.legs.size() == 1 ? law : std::min(law, 2);
    out.order = TORSOR_MAX_ORDER;
    out.n_break = uint32_t(breaks.size());
    out.breaks = breaks.data();
  }

  // Returns the distance u from the start of a piece at the length s.
  double distance(size_t piece, double s) const {
    const auto first = length.begin() + long(piece * parts),
               next = std::upper_bound(first + 1, first + parts, s);
    const double step = rotation[piece].h / parts, from = double(next - first - 1) * step,
                 rest = s - next[-1];
    double u = from + std::clamp(rest / (next[0] - next[-1]), 0.0, 1.0) * step;
    // Converges quadratically from an error of about 1e-3 of the part.
    for (int k = 0; k < 4; ++k) {
      const double error = integral(piece, from, u) - rest;
      u -= error / slope(piece, u);
      if (std::abs(error) <= 1e-16 * length.back()) break;
    }
    return std::clamp(u, 0.0, rotation[piece].h);
  }

  torsor_status evaluate(double t, int order, double*, double* out) const {
    const size_t piece =
        size_t(std::upper_bound(pose_times.begin(), pose_times.end(), t) - pose_times.begin());
    const Rates rates = r(t);
    const double u = distance(piece, length.back() * rates[0]);
    const Vec3<Taylor> theta = about(rotation[piece].c, u), p = about(position[piece], u),
                       v = rate(p), w = angular_velocity(-theta, rate(theta));
    const Taylor pace = series(0, length.back(), rates, 1),
                 slowness = inverse_root(g_squared(v, w));
    Taylor u_t(u), u_rate;
    for (size_t k = 0; k < Taylor::size; ++k) {
      u_rate = pace * chained(slowness, u_t);
      if (k + 1 < Taylor::size) u_t.c[k + 1] = u_rate.c[k] / double(k + 1);
    }
    const auto in_time = [&](const Vec3<Taylor>& a) {
      return Vec3<Taylor>{u_rate * chained(a.x, u_t), u_rate * chained(a.y, u_t),
                          u_rate * chained(a.z, u_t)};
    };
    const Mat3<double>& R = path.X[piece].R;
    put_motion({R * exp_so3(derivative(theta, 0)), derivative(p, 0)}, rotated(R, in_time(w)),
               in_time(v), order, out);
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(PoseSpline)
