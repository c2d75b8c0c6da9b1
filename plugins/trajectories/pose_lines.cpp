// A path of a frame on straight lines through via poses, with blends (KHALIL, section 8.1, class
// 4). On the line from pose k to pose k + 1, the frame moves with constant velocities
//   v_k = (P_(k+1) - P_k) / T_k,   omega_k = R_k u_k alpha_k / T_k
// T_k is the shortest time within the limits of both speeds. Only the last line reaches its pose:
// at each inner pose, a blend of duration 2 tau changes the velocity from that of the line before
// (b) to that of the line after (a). With s from 0 to 1 during the blend and h(s) from 0 to 1,
//   p = P_k + f_b v_b + f_a v_a,   R = exp(f_a omega_a) exp(f_b omega_b) R_k
//   f_b = -tau + 2 tau (s - H(s)),   f_a = 2 tau H(s),   H = integral of h
// Before the blend f_a = 0 and f_b is the time until the pose; after it f_b = 0 and f_a is the time
// since the pose. f_b' + f_a' = 1, so that the speeds are at most those of the lines:
//   v = (1 - h) v_b + h v_a,   omega = (1 - h) exp(f_a omega_a) omega_b + h omega_a
//   vdot = h' (v_a - v_b) / (2 tau)
//   |omegadot|^2 = h'^2 |omega_a - omega_b|^2 / (2 tau)^2 + (h (1 - h) |omega_a x omega_b|)^2
// The two parts of omegadot are orthogonal, and exp(f_a omega_a) keeps the angle between omega_a
// and omega_b. All peaks are at s = 1/2, where h (1 - h) = 1/4:
//   blend_law  h                       H                        peak of h'  continuous
//   parabolic  s                       s^2/2                    1           velocity
//   quartic    3 s^2 - 2 s^3           s^3 - s^4/2              3/2         acceleration
//   sextic     10 s^3 - 15 s^4 + 6 s^5 5/2 s^4 - 3 s^5 + s^6    15/8        jerk
// The start and the end are blends from and to rest, so that a line between two poses is the
// straight_line with the law trapeze (parabolic) or smooth_trapeze (quartic).
//
// tau of an inner pose is min(blend / |v|, blend_angle / |omega|) over both lines: the frame leaves
// a line at these distances from the pose at most. Without them, and at both ends if there are
// limits of acceleration, tau is the smallest one within these limits.

#include "rate_series.hpp"
#include "via_poses.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

struct BlendLaw {
  double peak;              // of h'
  std::array<double, 7> H;  // coefficients of its integral
  int smoothness;
};
constexpr const char* blend_names[] = {"parabolic", "quartic", "sextic", nullptr};
constexpr BlendLaw blend_laws[] = {
    {1, {0, 0, 0.5}, 1}, {1.5, {0, 0, 0, 1, -0.5}, 2}, {1.875, {0, 0, 0, 0, 2.5, -3, 1}, 3}};

constexpr torsor_param rows[] = {
    sdk::poses("poses", "poses of the frame in the world, in order"),
    sdk::real("speed", "m/s", "speed of the frame's origin on the lines", 0, sdk::no_limit, 0, 0),
    sdk::real("angular_speed", "rad/s", "limit of the angular speed", 0, sdk::no_limit, 0, 0),
    sdk::real("blend", "m", "distance from an inner pose at which its blend starts and ends", 0,
              sdk::no_limit, 0, 0),
    sdk::real("blend_angle", "rad", "angle from an inner pose at which its blend starts and ends",
              0, sdk::no_limit, 0, 0),
    sdk::real("acceleration", "m/s^2", "acceleration limit of the frame's origin", 0, sdk::no_limit,
              0, 0),
    sdk::real("angular_acceleration", "rad/s^2", "limit of the angular acceleration", 0,
              sdk::no_limit, 0, 0),
    sdk::choice("blend_law", "position in a blend as a polynomial of time", blend_names, 1),
};

// Velocities in the axes of the world.
struct Velocity {
  Vec3<double> v{0, 0, 0}, w{0, 0, 0};
};

// A line (tau = 0), which only has the velocity `after`, or a blend.
struct Piece {
  double time;  // of the pose, s
  double tau;   // s
  Pose<double> X;
  Velocity before, after;

  bool changes() const {
    constexpr double rounding = 1e-12;
    return norm(after.v - before.v) > rounding * (norm(after.v) + norm(before.v)) ||
           norm(after.w - before.w) > rounding * (norm(after.w) + norm(before.w));
  }
};

// Returns the smallest tau of a blend whose accelerations are within the limits, or 0 without
// limits. Returns nullopt if no blend keeps them.
std::optional<double> shortest(const Piece& at, const LimitPair& limit, const BlendLaw& law) {
  double out = over(norm(at.after.v - at.before.v), limit.linear);
  const double step = norm(at.after.w - at.before.w);
  if (limit.angular && step > 0) {
    const double turn = norm(cross(at.after.w, at.before.w)) / 4,
                 rest = *limit.angular * *limit.angular - turn * turn;
    if (!(rest > 0)) return std::nullopt;
    out = std::max(out, step / std::sqrt(rest));
  }
  return law.peak / 2 * out;
}

// Returns the largest tau within the distances, or nullopt without distances.
std::optional<double> longest(const Piece& at, const LimitPair& distance) {
  std::optional<double> out;
  const auto restrict = [&](double speed, const std::optional<double>& limit) {
    if (limit && speed > 0) out = std::min(out.value_or(*limit / speed), *limit / speed);
  };
  for (const Velocity& each : {at.before, at.after}) {
    restrict(norm(each.v), distance.linear);
    restrict(norm(each.w), distance.angular);
  }
  return out;
}

struct PoseLines {
  static constexpr const char* id = "trajectory.pose_lines";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary =
      "moves a frame through via poses on straight lines with blends, at constant speed";
  static constexpr auto params = std::span(rows);

  std::vector<double> values, breaks;
  std::array<std::optional<double>, 6> numbers;  // parameters 1 to 6
  BlendLaw law = blend_laws[1];
  std::vector<Piece> pieces;  // piece i begins at breaks[i]

  void set_param(uint32_t index, std::span<const double> given) {
    if (index == 0) values.assign(given.begin(), given.end());
    if (index > 0 && index < 7) numbers[index - 1] = at_most_one(positive(given, rows[index].unit));
    if (index == 7) law = blend_laws[size_t(given[0])];
  }

  void prepare(const torsor_model&, torsor_sizes&) {
    const ViaPoses path(values);
    const LimitPair speed{numbers[0], numbers[1]};
    require_speeds(path, speed);
    std::vector<double> T;
    std::vector<Piece> blends{{0, 0, path.X[0], {}, {}}};
    for (size_t k = 0; k < path.legs.size(); ++k) {
      const auto& [D, turn] = path.legs[k];
      T.push_back(std::max(over(norm(D), speed.linear), over(norm(turn), speed.angular)));
      const Velocity along{1 / T[k] * D, path.X[k].R * (1 / T[k] * turn)};
      blends.back().after = along;
      blends.push_back({0, 0, path.X[k + 1], along, {}});
    }
    for (size_t k = 0; k < blends.size(); ++k) set_tau(blends, k);
    for (size_t k = 0; k < T.size(); ++k) require_room(blends, k, T[k]);
    add_pieces(blends, T);
  }

  void set_tau(std::vector<Piece>& blends, size_t k) const {
    Piece& at = blends[k];
    if (!at.changes()) return;
    const LimitPair distance{numbers[2], numbers[3]}, limit{numbers[4], numbers[5]};
    const std::string pose = "pose " + std::to_string(k + 1);
    const std::optional<double> least = shortest(at, limit, law), most = longest(at, distance);
    if (!least)
      throw sdk::bad_argument("no blend at " + pose +
                              " keeps the limit of the angular acceleration; lower the speeds");
    const bool at_end = k == 0 || k + 1 == blends.size();
    at.tau = most && !(at_end && *least > 0) ? *most : *least;
    if (at.tau == 0)
      throw sdk::bad_argument(norm(at.after.v - at.before.v) > 0
                                  ? "nothing determines the blend at " + pose +
                                        "; set 'blend' or 'acceleration'"
                                  : "nothing determines the blend of the rotation at " + pose +
                                        "; set 'blend_angle' or 'angular_acceleration'");
    if (at.tau < *least * (1 - 1e-12))
      throw sdk::bad_argument("the blend at " + pose + " needs " + shown(*least / at.tau) +
                              " times the limit of acceleration; enlarge the blend by this factor, "
                              "or lower the speeds");
  }

  // Throws bad_argument if the blends at both ends of line k overlap.
  void require_room(const std::vector<Piece>& blends, size_t k, double T) const {
    const double need = blends[k].tau + blends[k + 1].tau;
    if (need <= T * (1 + 1e-12)) return;
    throw sdk::bad_argument(
        "the blends of poses " + std::to_string(k + 1) + " and " + std::to_string(k + 2) +
        " overlap: they take " + shown(need) + " s of the line, which lasts " + shown(T) +
        " s; shorten the blends, lower the speeds or raise the limits of acceleration");
  }

  void add_pieces(std::vector<Piece>& blends, const std::vector<double>& T) {
    double time = blends[0].tau;
    for (size_t k = 0; k < blends.size(); ++k) {
      Piece& at = blends[k];
      at.time = time;
      if (at.tau > 0) add(time - at.tau, at);
      if (k == T.size()) break;
      add(time + at.tau, {time, 0, at.X, {}, at.after});
      time += T[k];
    }
    breaks.push_back(time + blends.back().tau);
  }
  void add(double start, const Piece& piece) {
    breaks.push_back(breaks.empty() ? 0 : std::max(start, breaks.back()));
    pieces.push_back(piece);
  }

  void describe(torsor_motion& out) const {
    out.kind = TORSOR_MOTION_OF_FRAME;
    out.duration = breaks.back();
    out.smoothness = law.smoothness;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = uint32_t(breaks.size());
    out.breaks = breaks.data();
  }

  torsor_status evaluate(double t, int order, double*, double* out) const {
    const auto next = std::upper_bound(breaks.begin() + 1, breaks.end() - 1, t);
    const Piece& at = pieces[size_t(next - breaks.begin()) - 1];
    Rates after{t - at.time, 1}, before{};
    if (at.tau > 0) {
      const double span = 2 * at.tau, s = (t - at.time + at.tau) / span;
      after = polynomial(law.H, s);
      double scale = span;
      for (double& rate : after) rate *= scale, scale /= span;
      for (size_t k = 0; k < after.size(); ++k) before[k] = -after[k];
      before[0] += t - at.time;
      before[1] += 1;
    }
    const auto& [v_b, w_b] = at.before;
    const auto& [v_a, w_a] = at.after;
    const Pose<double> X{exp_so3(after[0] * w_a) * (exp_so3(before[0] * w_b) * at.X.R),
                         at.X.p + before[0] * v_b + after[0] * v_a};
    const Taylor f_a = series(0, 1, after, 1), f_b = series(0, 1, before, 1);
    put_motion(X, scaled(f_a, w_a) + f_b * turned(w_b, w_a, after),
               scaled(f_b, v_b) + scaled(f_a, v_a), order, out);
    return TORSOR_OK;
  }

  // Returns exp(f w) x.
  static Vec3<Taylor> turned(const Vec3<double>& x, const Vec3<double>& w, const Rates& f) {
    const double rate = norm(w);
    if (rate == 0) return scaled(Taylor(1), x);
    const Vec3<double> u = 1 / rate * w, along = dot(u, x) * u;
    const Taylor angle = series(0, rate, f, 0);
    return scaled(Taylor(1), along) + scaled(cosine(angle), x - along) +
           scaled(sine(angle), cross(u, x));
  }
};

}  // namespace

TORSOR_PLUGINS(PoseLines)
