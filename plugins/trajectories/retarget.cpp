// A motion to targets that change before they are reached. The first row of the path is the start.
// Each later row (t_k, y_k) sets a new target at the time t_k. Active motions continue, and a
// motion over the difference of the targets is added:
//   y(t) = y_0 + sum_k r(t - t_k) (y_k - y_(k-1)),   r = 0 before 0 and r = 1 after the duration
// A derivative of y is continuous at t_k if the time law starts and ends with a zero derivative of
// this order. This is the case for the velocity except with the linear law, and for the
// acceleration with quintic, septic and smooth_trapeze.

#include "pieces.hpp"

using namespace torsor;
using namespace torsor::trajectories;

namespace {

struct Retarget {
  static constexpr const char* id = "trajectory.retarget";
  static constexpr const char* version = "1.0";
  static constexpr const char* summary = "moves to targets that change during the motion";
  static constexpr torsor_param params[] = {
      sdk::path(
          "path",
          "rows of time and position: the start at time 0, then each new target from its time on"),
      sdk::real("duration", "s", "time to reach a target after it changes", 0, sdk::no_limit, 1),
      sdk::choice("law", "time law of the motion", shape_names, 2),
      sdk::real("ramp", "1",
                "ramp time of a trapezoidal law, as a fraction of the duration; default 1/4", 0,
                0.5, 0, 0),
  };

  std::vector<double> values, breaks;
  Timing timing;
  uint32_t shape = 2;
  TimeLaw r;
  Path path;

  void set_param(uint32_t index, std::span<const double> given) {
    if (index == 0) values.assign(given.begin(), given.end());
    if (index == 1) timing.set_duration(given);
    if (index == 2) shape = uint32_t(given[0]);
    if (index == 3) timing.set_ramp(given);
  }
  void prepare(const torsor_model& model, torsor_sizes&) {
    path = Path(values, size_t(model.n_v));
    r = timing.law(shapes[shape], {});
    for (size_t k = 1; k < path.t.size(); ++k) r.add_breaks(path.t[k], breaks);
    std::sort(breaks.begin(), breaks.end());
    breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  }
  void describe(torsor_motion& out) const {
    out.kind = TORSOR_MOTION_OF_JOINTS;
    out.duration = path.t.back() + r.duration;
    out.smoothness = r.shape->smoothness;
    out.order = TORSOR_MAX_ORDER;
    out.n_break = uint32_t(breaks.size());
    out.breaks = breaks.data();
  }
  torsor_status evaluate(double t, int order, double*, double* out) const {
    const size_t n = path.n, last = path.t.size() - 1;
    for (int k = 0; k <= order; ++k)
      for (size_t j = 0; j < n; ++j) out[size_t(k) * n + j] = k == 0 ? path.y[j] : 0;
    for (size_t i = 1; i <= last; ++i) {
      if (t < path.t[i]) break;
      // Evaluates the law of the last motion even at its end, so that the final derivatives are
      // those of the law. The host does not evaluate later times.
      const bool done = t >= path.t[i] + r.duration && i < last;
      const Rates rates = done ? Rates{1} : r(t, path.t[i]);
      for (size_t j = 0; j < n; ++j) {
        const double D = path.row(i)[j] - path.row(i - 1)[j];
        for (int k = 0; k <= order; ++k) out[size_t(k) * n + j] += rates[size_t(k)] * D;
      }
    }
    return TORSOR_OK;
  }
};

}  // namespace

TORSOR_PLUGINS(Retarget)
