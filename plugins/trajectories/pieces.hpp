#pragma once
// Piecewise polynomial trajectories through the rows (t_i, y_i) of a path.
//
// A quintic piece is the Hermite polynomial of position, velocity and acceleration at its two ends.
// The piece is sum c_k s^k, where s is the time since its start. h is its duration. With
//   Delta = y_1 - y_0 - v_0 h - a_0 h^2/2,   V = v_1 - v_0 - a_0 h,   A = a_1 - a_0
//   c_3 = (10 Delta - 4 V h + A h^2/2) / h^3
//   c_4 = (-15 Delta + 7 V h - A h^2) / h^4
//   c_5 = (6 Delta - 3 V h + A h^2/2) / h^5
// A cubic piece is the Hermite polynomial of position and velocity at its two ends:
//   c_2 = (3 (y_1 - y_0) - (2 v_0 + v_1) h) / h^2,  c_3 = (-2 (y_1 - y_0) + (v_0 + v_1) h) / h^3

#include "time_law.hpp"

namespace torsor::trajectories {

// The rows of a path, as the host passes them to plugins: a time and n coordinates per row.
struct Path {
  size_t n = 0;
  std::vector<double> t;  // [rows]
  std::vector<double> y;  // [rows][n]

  Path() = default;
  // Throws bad_argument if there are fewer than two rows, or if the first time is not 0.
  Path(const std::vector<double>& values, size_t n_v) : n(n_v) {
    for (size_t k = 0; k < values.size(); k += 1 + n) {
      t.push_back(values[k]);
      y.insert(y.end(), values.begin() + long(k) + 1, values.begin() + long(k + 1 + n));
    }
    if (t.size() < 2) throw sdk::bad_argument("the path has fewer than two rows; add rows");
    if (t[0] != 0)
      throw sdk::bad_argument("the path starts at " + shown(t[0]) +
                              " s; the time of its first row must be 0");
  }
  const double* row(size_t i) const { return y.data() + i * n; }
};

using Matrix = std::vector<double>;  // [rows][n], like Path::y

struct Pieces {
  size_t n = 0;
  std::vector<double> t;                 // [pieces + 1]
  std::vector<std::array<double, 6>> c;  // [pieces][n] coefficients of the polynomials

  // Evaluates the motion at the time `at` in [0, T], s. At the time of a row, the piece that starts
  // there is evaluated. At T, the last piece is evaluated.
  torsor_status evaluate(double at, int order, double* out) const {
    const auto after = std::upper_bound(t.begin() + 1, t.end() - 1, at);
    const size_t piece = size_t(after - t.begin()) - 1;
    for (size_t j = 0; j < n; ++j) {
      const Rates rates = polynomial(c[piece * n + j], at - t[piece]);
      for (int k = 0; k <= order; ++k) out[size_t(k) * n + j] = rates[size_t(k)];
    }
    return TORSOR_OK;
  }
  void describe(torsor_motion& out, int smoothness) const {
    out.kind = TORSOR_MOTION_OF_JOINTS;
    out.duration = t.back();
    out.smoothness = smoothness;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = uint32_t(t.size());
    out.breaks = t.data();
  }
};

inline Pieces lines(const Path& path) {
  Pieces out{path.n, path.t, {}};
  for (size_t i = 0; i + 1 < path.t.size(); ++i)
    for (size_t j = 0; j < path.n; ++j) {
      const double y = path.row(i)[j], h = path.t[i + 1] - path.t[i];
      out.c.push_back({y, (path.row(i + 1)[j] - y) / h});
    }
  return out;
}

inline Pieces cubics(const Path& path, const Matrix& v) {
  Pieces out{path.n, path.t, {}};
  for (size_t i = 0; i + 1 < path.t.size(); ++i)
    for (size_t j = 0; j < path.n; ++j) {
      const size_t k = i * path.n + j;
      const double h = path.t[i + 1] - path.t[i], y = path.y[k], d = path.y[k + path.n] - y;
      const double v0 = v[k], v1 = v[k + path.n];
      out.c.push_back(
          {y, v0, (3 * d - (2 * v0 + v1) * h) / (h * h), (-2 * d + (v0 + v1) * h) / (h * h * h)});
    }
  return out;
}

inline Pieces quintics(const Path& path, const Matrix& v, const Matrix& a) {
  Pieces out{path.n, path.t, {}};
  for (size_t i = 0; i + 1 < path.t.size(); ++i)
    for (size_t j = 0; j < path.n; ++j) {
      const size_t k = i * path.n + j, l = k + path.n;
      const double h = path.t[i + 1] - path.t[i], h2 = h * h, h3 = h2 * h;
      const double delta = path.y[l] - path.y[k] - v[k] * h - a[k] * h2 / 2,
                   V = v[l] - v[k] - a[k] * h, A = a[l] - a[k];
      out.c.push_back({path.y[k], v[k], a[k] / 2, (10 * delta - 4 * V * h + A * h2 / 2) / h3,
                       (-15 * delta + 7 * V * h - A * h2) / (h3 * h),
                       (6 * delta - 3 * V * h + A * h2 / 2) / (h3 * h2)});
    }
  return out;
}

// Computes the velocities v [rows][n] for which cubic pieces have continuous accelerations. The
// first and the last row of v are inputs. At a row between pieces of durations h and k, along which
// y changes by d_h and d_k:
//   v_before / h + 2 (1/h + 1/k) v + v_after / k = 3 (d_h / h^2 + d_k / k^2)
// This spline minimises the integral of the squared acceleration. Its matrix is positive definite,
// so elimination needs no pivoting.
inline void make_cubic_spline(const Path& path, Matrix& v) {
  const size_t n = path.n, last = path.t.size() - 1;
  // Forward elimination reduces row i to v_i = s_i - gain_i v_(i+1). v stores s_i until back
  // substitution.
  std::vector<double> gain(last + 1, 0.0);
  for (size_t i = 1; i < last; ++i) {
    const double h = path.t[i] - path.t[i - 1], k = path.t[i + 1] - path.t[i];
    const double pivot = 2 * (1 / h + 1 / k) - gain[i - 1] / h;
    gain[i] = 1 / (k * pivot);
    for (size_t j = 0; j < n; ++j) {
      const double d_h = path.row(i)[j] - path.row(i - 1)[j],
                   d_k = path.row(i + 1)[j] - path.row(i)[j];
      v[i * n + j] = (3 * (d_h / (h * h) + d_k / (k * k)) - v[(i - 1) * n + j] / h) / pivot;
    }
  }
  for (size_t i = last; i-- > 1;)
    for (size_t j = 0; j < n; ++j) v[i * n + j] -= gain[i] * v[(i + 1) * n + j];
}

// Returns the derivative at x[0] of the polynomial through the points (x_i, y_i), by Lagrange's
// formula:
//   l_0'(x_0) = sum_(i>0) 1 / (x_0 - x_i)
//   l_i'(x_0) = prod_(j!=0,i) (x_0 - x_j) / prod_(j!=i) (x_i - x_j)
inline double slope_at_first(const std::vector<double>& x, const std::vector<double>& y) {
  double slope = 0;
  for (size_t i = 1; i < x.size(); ++i) {
    double weight = 1 / (x[i] - x[0]);
    for (size_t j = 1; j < x.size(); ++j)
      if (j != i) weight *= (x[0] - x[j]) / (x[i] - x[j]);
    slope += weight * (y[i] - y[0]);
  }
  return slope;
}

inline constexpr const char* interpolation_names[] = {"linear", "cubic", nullptr};

// Returns a motion through the rows of a path: lines, or cubic pieces with continuous acceleration.
// The velocity at the start is that of the cubic through the first four rows, and likewise at the
// end. With three or two rows, a parabola or a line replaces the cubic. The interpolation error of
// cubic pieces is of fourth order in the time between rows.
inline Pieces interpolated(const Path& path, bool cubic) {
  if (!cubic) return lines(path);
  Matrix v(path.y.size(), 0.0);
  const size_t last = path.t.size() - 1;
  for (size_t j = 0; j < path.n; ++j)
    for (const bool start : {true, false}) {
      std::vector<double> x, y;
      for (size_t k = 0; k <= std::min<size_t>(3, last); ++k) {
        const size_t row = start ? k : last - k;
        x.push_back(path.t[row]);
        y.push_back(path.row(row)[j]);
      }
      v[(start ? 0 : last * path.n) + j] = slope_at_first(x, y);
    }
  make_cubic_spline(path, v);
  return cubics(path, v);
}

}  // namespace torsor::trajectories
