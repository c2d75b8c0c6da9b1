// A motion to a target that moves (KHALIL 8.3). With the motion q_f(t) of the target, from
// the start q_i and with a time law r that takes the time t_f,
//   y(t) = y_f(t) - (1 - r(t)) D,   D = y_f(0) - y_i
// so that the motion follows the target exactly from t_f on. The equal form y_i + r(t) D + y_f(t) -
// y_f(0) is used near the start, so that rounding errors vanish there. Rows of a time and a
// position are the motion of the target (pieces.hpp). Each derivative of y is that of the target,
// plus that of r times D.

#include "pieces.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

struct MovingTarget {
  static constexpr const char* id = "trajectory.moving_target";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "reaches a target that moves, and then follows it";
  static constexpr torsor_param params[] = {
      sdk::configuration("from", "start position"),
      sdk::path("path", "rows of time and position of the target; the first time is 0"),
      sdk::real("duration", "s", "time to reach the target", 0, sdk::no_limit, 1),
      sdk::choice("law", "time law of the approach", shape_names, 2),
      sdk::choice("interpolation", "interpolation between the rows", interpolation_names, 1),
  };

  std::vector<double> from, values, D, breaks;
  Timing timing;
  uint32_t shape = 2;
  bool cubic = true;
  TimeLaw r;
  Pieces target;

  void set_param(uint32_t index, std::span<const double> given) {
    if (index == 0) from.assign(given.begin(), given.end());
    if (index == 1) values.assign(given.begin(), given.end());
    if (index == 2) timing.set_duration(given);
    if (index == 3) shape = uint32_t(given[0]);
    if (index == 4) cubic = given[0] == 1;
  }
  void prepare(const torsor_model& model, torsor_sizes&) {
    const Path path(values, size_t(model.n_v));
    target = interpolated(path, cubic);
    r = timing.law(shapes[shape], {});
    if (r.duration > path.t.back())
      throw sdk::bad_argument("the approach takes " + shown(r.duration) +
                              " s, longer than the path of the target, " + shown(path.t.back()) +
                              " s; shorten the duration, or extend the path");
    for (size_t j = 0; j < from.size(); ++j) D.push_back(path.y[j] - from[j]);
    r.add_breaks(0, breaks);
    breaks.insert(breaks.end(), path.t.begin(), path.t.end());
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  }
  void describe(torsor_motion& out) const {
    target.describe(out, 0);
    out.n_break = uint32_t(breaks.size());
    out.breaks = breaks.data();
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    (void)target.evaluate(t, order, out);
    if (t >= r.duration) return TORSOR_OK;
    const Rates rates = r(t);
    const size_t n = D.size();
    for (size_t j = 0; j < n; ++j) {
      if (rates[0] < 0.5)
        out[j] = from[j] + rates[0] * D[j] + (out[j] - target.c[j][0]);
      else
        out[j] -= (1 - rates[0]) * D[j];
      for (int k = 1; k <= order; ++k) out[size_t(k) * n + j] += rates[size_t(k)] * D[j];
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(MovingTarget)
