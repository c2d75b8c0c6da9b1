// Playback of a recorded motion: rows of a time and a position. The rows are connected by lines, or
// by cubic pieces with continuous acceleration (pieces.hpp). The velocity at the start is that of
// the cubic through the first four rows, and likewise at the end. With three or two rows, a
// parabola or a line replaces the cubic. The interpolation error of cubic pieces is of fourth order
// in the time between rows.

#include "pieces.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

// Returns the derivative at x[0] of the polynomial through the points (x_i, y_i), by Lagrange's
// formula:
//   l_0'(x_0) = sum_(i>0) 1 / (x_0 - x_i)
//   l_i'(x_0) = prod_(j!=0,i) (x_0 - x_j) / prod_(j!=i) (x_i - x_j)
double slope_at_first(const std::vector<double>& x, const std::vector<double>& y) {
  double slope = 0;
  for (size_t i = 1; i < x.size(); ++i) {
    double weight = 1 / (x[i] - x[0]);
    for (size_t j = 1; j < x.size(); ++j)
      if (j != i) weight *= (x[0] - x[j]) / (x[i] - x[j]);
    slope += weight * (y[i] - y[0]);
  }
  return slope;
}

struct Playback {
  static constexpr const char* id = "trajectory.playback";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "plays back recorded positions";
  static constexpr const char* ways[] = {"linear", "cubic", nullptr};
  static constexpr torsor_param params[] = {
      sdk::path("path", "rows of time and position; the first time is 0"),
      sdk::choice("interpolation", "interpolation between the rows", ways, 1),
  };

  std::vector<double> values;
  bool cubic = true;
  Pieces pieces;

  void set_param(uint32_t index, std::span<const double> given) {
    if (index == 0) values.assign(given.begin(), given.end());
    if (index == 1) cubic = given[0] == 1;
  }
  void prepare(const torsor_model& model, torsor_sizes&) {
    const Path path(values, size_t(model.n_v));
    if (!cubic) {
      pieces = lines(path);
      return;
    }
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
    pieces = cubics(path, v);
  }
  void describe(torsor_motion& out) const { pieces.describe(out, 0); }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    return pieces.evaluate(t, order, out);
  }
};

}  // namespace

TORSOR_PLUGINS(Playback)
