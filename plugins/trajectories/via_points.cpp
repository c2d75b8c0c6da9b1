// Splines through positions at given times.
//
// cubic_spline: cubic pieces with continuous acceleration (C2). The velocities at both ends are
// given.
//
// quintic_spline: quintic pieces with four continuous derivatives (C4). The velocities and
// accelerations at both ends are given. The curve minimises the integral of squared jerk through
// the positions. The unknowns are v and a at the rows (pieces.hpp). The derivatives of the integral
// with respect to v and a of a row are proportional to the jumps of y'''' and of y''' there. For a
// piece of duration h from row 0 to row 1, with d = y_1 - y_0, y''' and y'''' are
//   at its start  y''' h^3 =  60 d - 36 v_0 h - 24 v_1 h -  9 a_0 h^2 +  3 a_1 h^2
//                y'''' h^4 = -360 d + 192 v_0 h + 168 v_1 h + 36 a_0 h^2 - 24 a_1 h^2
//   at its end    y''' h^3 =  60 d - 24 v_0 h - 36 v_1 h -  3 a_0 h^2 +  9 a_1 h^2
//                y'''' h^4 =  360 d - 168 v_0 h - 192 v_1 h - 24 a_0 h^2 + 36 a_1 h^2
// Zero jumps at all inner rows are a block-tridiagonal system with 2x2 blocks. The system is
// positive definite because its solution is a minimum, so elimination needs no pivoting.

#include "pieces.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

struct Block {  // a 2x2 matrix
  double xx, xy, yx, yy;
};
Block operator*(const Block& A, const Block& B) {
  return {A.xx * B.xx + A.xy * B.yx, A.xx * B.xy + A.xy * B.yy, A.yx * B.xx + A.yy * B.yx,
          A.yx * B.xy + A.yy * B.yy};
}
Block operator-(const Block& A, const Block& B) {
  return {A.xx - B.xx, A.xy - B.xy, A.yx - B.yx, A.yy - B.yy};
}
Block inverse(const Block& A) {
  const double s = 1 / (A.xx * A.yy - A.xy * A.yx);
  return {s * A.yy, -s * A.xy, -s * A.yx, s * A.xx};
}
struct Pair {
  double v, a;
};
Pair operator*(const Block& A, const Pair& x) {
  return {A.xx * x.v + A.xy * x.a, A.yx * x.v + A.yy * x.a};
}
Pair operator-(const Pair& x, const Pair& y) {
  return {x.v - y.v, x.a - y.a};
}

// The two equations at a row between pieces of durations h and k:
//   before (v, a)_before + at (v, a) + after (v, a)_after = right side
// The first equation is y''''_after - y''''_before = 0. The second equation is y'''_before -
// y'''_after = 0.
struct Row {
  double h, k;

  Block before() const { return {168 / (h * h * h), 24 / (h * h), -24 / (h * h), -3 / h}; }
  Block at() const {
    return {192 / (h * h * h) + 192 / (k * k * k), 36 / (k * k) - 36 / (h * h),
            36 / (k * k) - 36 / (h * h), 9 / h + 9 / k};
  }
  Block after() const { return {168 / (k * k * k), -24 / (k * k), 24 / (k * k), -3 / k}; }
  Pair right(double d_h, double d_k) const {
    return {360 * (d_h / (h * h * h * h) + d_k / (k * k * k * k)),
            60 * (d_k / (k * k * k) - d_h / (h * h * h))};
  }
};

// Computes v and a [rows][n] of the quintic spline. Their first and last rows are inputs.
void make_quintic_spline(const Path& path, Matrix& v, Matrix& a) {
  const size_t n = path.n, last = path.t.size() - 1;
  std::vector<Block> gain(last + 1, Block{});
  for (size_t i = 1; i < last; ++i) {
    const Row row{path.t[i] - path.t[i - 1], path.t[i + 1] - path.t[i]};
    const Block left = inverse(row.at() - row.before() * gain[i - 1]);
    gain[i] = left * row.after();
    for (size_t j = 0; j < n; ++j) {
      const size_t at = i * n + j, before = at - n;
      const Pair x = left * (row.right(path.y[at] - path.y[before], path.y[at + n] - path.y[at]) -
                             row.before() * Pair{v[before], a[before]});
      v[at] = x.v;
      a[at] = x.a;
    }
  }
  for (size_t i = last; i-- > 1;)
    for (size_t j = 0; j < n; ++j) {
      const size_t at = i * n + j;
      const Pair x = Pair{v[at], a[at]} - gain[i] * Pair{v[at + n], a[at + n]};
      v[at] = x.v;
      a[at] = x.a;
    }
}

constexpr torsor_param rows[] = {
    sdk::path("path", "rows of time and position; the first time is 0"),
    sdk::real("start_velocity", "rad/s, m/s",
              "velocity at the start; one value for all coordinates, or one for each; default 0",
              -sdk::no_limit, sdk::no_limit, 0, 0),
    sdk::real("end_velocity", "rad/s, m/s",
              "velocity at the end; one value for all coordinates, or one for each; default 0",
              -sdk::no_limit, sdk::no_limit, 0, 0),
    sdk::real(
        "start_acceleration", "rad/s^2, m/s^2",
        "acceleration at the start; one value for all coordinates, or one for each; default 0",
        -sdk::no_limit, sdk::no_limit, 0, 0),
    sdk::real("end_acceleration", "rad/s^2, m/s^2",
              "acceleration at the end; one value for all coordinates, or one for each; default 0",
              -sdk::no_limit, sdk::no_limit, 0, 0),
};

struct ViaPoints {
  static constexpr const char* version = "1.0";

  std::vector<double> values[std::size(rows)];
  Path path;
  Pieces pieces;

  void set_param(uint32_t index, std::span<const double> given) {
    values[index].assign(given.begin(), given.end());
  }
  // Returns a matrix [rows][n] with the given values in the first and the last row, and 0
  // elsewhere.
  Matrix with_ends(size_t start, size_t end) const {
    const size_t n = path.n;
    Matrix out(path.y.size(), 0.0);
    for (const size_t index : {start, end}) {
      const std::vector<double>& ends = values[index];
      if (ends.size() > 1 && ends.size() != n)
        throw sdk::bad_argument("'" + std::string(rows[index].name) + "' has " +
                                std::to_string(ends.size()) + " values for " + std::to_string(n) +
                                " coordinates; give one value, or one for each");
      for (size_t j = 0; j < n && !ends.empty(); ++j)
        out[(index == start ? 0 : out.size() - n) + j] = ends[ends.size() == 1 ? 0 : j];
    }
    return out;
  }
  bool ends_with(const Matrix& rates) const {
    return std::any_of(rates.end() - long(path.n), rates.end(), [](double x) { return x != 0; });
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    return pieces.evaluate(t, order, out);
  }
};

struct CubicSpline : ViaPoints {
  static constexpr const char* id = "trajectory.cubic_spline";
  static constexpr const char* summary =
      "cubic spline through positions at given times; continuous acceleration";
  static constexpr auto params = std::span(rows).first<3>();

  int smoothness = 0;

  void prepare(const torsor_model& model, torsor_sizes&) {
    path = Path(values[0], size_t(model.n_v));
    Matrix v = with_ends(1, 2);
    make_cubic_spline(path, v);
    pieces = cubics(path, v);
    smoothness = ends_with(v) ? 0 : 1;
  }
  void describe(torsor_motion& out) const { pieces.describe(out, smoothness); }
};

struct QuinticSpline : ViaPoints {
  static constexpr const char* id = "trajectory.quintic_spline";
  static constexpr const char* summary =
      "quintic spline through positions at given times; continuous snap, minimum jerk";
  static constexpr auto params = std::span(rows).first<5>();

  int smoothness = 0;

  void prepare(const torsor_model& model, torsor_sizes&) {
    path = Path(values[0], size_t(model.n_v));
    Matrix v = with_ends(1, 2), a = with_ends(3, 4);
    make_quintic_spline(path, v, a);
    pieces = quintics(path, v, a);
    smoothness = ends_with(v) ? 0 : ends_with(a) ? 1 : 2;
  }
  void describe(torsor_motion& out) const { pieces.describe(out, smoothness); }
};

}  // namespace

TORSOR_PLUGINS(CubicSpline, QuinticSpline)
