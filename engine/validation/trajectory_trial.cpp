// The validation of trajectories. Their checks: derivatives, ends and jumps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/plugin/plugin_table.hpp"
#include "torsor/validation/trial_kind.hpp"

namespace torsor::validation {

namespace {

constexpr uint64_t motions_tried = 10;
constexpr double endless = 10;  // duration that is checked of an endless motion, s

// A prepared trajectory. Returns the values of the plugin before the host converts them to joint
// velocities.
class Motion {
 public:
  Motion(Trial& trial, uint64_t number) : at_(trial.one_case(number)), view_(at_.model->view()) {
    plugin_ = trial.registry().object(trial.info().id, at_.model, trial.parameters(at_, number));
    const torsor_sizes sizes = prepare(*plugin_, view_);
    work_ = WorkArea(sizes.work_doubles);
    api_ = table_of<torsor_trajectory>(*plugin_, TORSOR_TRAJECTORY);
    motion.struct_size = sizeof motion;
    if (api_.describe(plugin_->get(), &motion) != TORSOR_OK)
      throw Failed(fmt::format("describe fails: {}", plugin_->report()));
    breaks.assign(motion.breaks, motion.breaks + motion.n_break);
  }

  uint64_t seed() const { return at_.seed; }
  bool of_frame() const { return motion.kind == TORSOR_MOTION_OF_FRAME; }
  double end() const { return std::isfinite(motion.duration) ? motion.duration : endless; }
  size_t width() const { return of_frame() ? 6 : size_t(view_.n_v); }

  // Returns the k-th derivative at time t. For a frame, derivative 0 is its pose (12 numbers) and
  // derivative 1 its velocity (6 numbers).
  std::vector<double> at(double t, int derivative) const {
    const int order = std::max(derivative, 0);
    std::vector<double> all(of_frame() ? 12 + 6 * size_t(order) : size_t(order + 1) * width());
    if (api_.evaluate(plugin_->get(), t, order, work_.data(), all.data()) != TORSOR_OK)
      throw Failed(fmt::format("evaluate fails at t = {:g} s: {}", t, plugin_->report()));
    const auto tail = all.end() - std::ptrdiff_t(of_frame() && derivative == 0 ? 12 : width());
    return {tail, all.end()};
  }
  // Returns 0, the breaks and the end, in ascending order.
  std::vector<double> edges() const {
    std::vector<double> out = breaks;
    out.push_back(0);
    out.push_back(end());
    std::ranges::sort(out);
    return out;
  }
  // Returns the largest magnitude of an entry of a derivative, at 129 times of each piece between
  // breaks. The pieces may differ much in duration.
  double peak(int derivative) const {
    double out = 0;
    const std::vector<double> at_edges = edges();
    for (size_t piece = 0; piece + 1 < at_edges.size(); ++piece)
      for (int k = 0; k <= 128; ++k) {
        const double t = at_edges[piece] + (at_edges[piece + 1] - at_edges[piece]) * k / 128;
        for (const double x : at(t, derivative)) {
          if (!std::isfinite(x))
            throw Failed(fmt::format("derivative {} is {} at t = {:g} s (seed {})", derivative, x,
                                     t, at_.seed));
          out = std::max(out, std::abs(x));
        }
      }
    return out;
  }

  torsor_motion motion{};
  std::vector<double> breaks;

 private:
  Case at_;
  torsor_model view_;
  std::unique_ptr<Plugin> plugin_;
  mutable WorkArea work_;
  torsor_trajectory api_{};
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (size_t k = 0; k < a.size(); ++k) out = std::max(out, std::abs(a[k] - b[k]));
  return out;
}

// Returns times between breaks whose distance from the breaks is sufficient for a central
// difference.
std::vector<double> smooth_times(const Motion& motion, double room) {
  const std::vector<double> edges = motion.edges();
  std::vector<double> out;
  for (size_t k = 0; k + 1 < edges.size(); ++k)
    for (const double part : {0.21, 0.5, 0.83})
      if (edges[k + 1] - edges[k] > 8 * room)
        out.push_back(edges[k] + part * (edges[k + 1] - edges[k]));
  return out;
}

// Checks each derivative between breaks against central differences of the next lower derivative.
std::string derivatives(Trial& trial) {
  double worst = 0;
  for (uint64_t number = 0; number < motions_tried; ++number) {
    const Motion motion(trial, number);
    const double h = 2e-6 * std::max(motion.end(), 1e-3);
    for (int k = motion.of_frame() ? 2 : 1; k <= motion.motion.order; ++k) {
      const double scale = motion.peak(k) + motion.peak(k - 1);
      for (const double t : smooth_times(motion, h)) {
        const std::vector<double> before = motion.at(t - h, k - 1), after = motion.at(t + h, k - 1);
        std::vector<double> slope(after.size());
        for (size_t i = 0; i < slope.size(); ++i) slope[i] = (after[i] - before[i]) / (2 * h);
        const double error = distance(slope, motion.at(t, k)) / (scale > 0 ? scale : 1);
        if (!(error <= 1e-4))
          throw Failed(
              fmt::format("derivative {} at t = {:g} s differs from the slope of the one before by "
                          "{:.1e} of its peak (seed {})",
                          k, t, error, motion.seed()));
        worst = std::max(worst, error);
      }
    }
  }
  return fmt::format("differ from central differences by at most {:.0e}, in {} motions", worst,
                     motions_tried);
}

// Returns the largest change of a derivative that remains if the interval from a to b is halved 40
// times, each time to the half with the larger change: about 0, unless the derivative jumps.
double jump_within(const Motion& motion, int k, double a, double b) {
  std::vector<double> from = motion.at(a, k), to = motion.at(b, k);
  for (int i = 0; i < 40; ++i) {
    const double middle = a + (b - a) / 2;
    std::vector<double> now = motion.at(middle, k);
    if (distance(now, from) > distance(to, now))
      b = middle, to = std::move(now);
    else
      a = middle, from = std::move(now);
  }
  return distance(to, from);
}

// Checks a derivative that is reported as continuous. Where it changes by more between two samples
// than the next derivative allows, it may change quickly, but must not jump.
void require_no_jump(const Motion& motion, int k) {
  if (motion.of_frame() && k == 0) return;
  constexpr int samples = 400;
  const double h = motion.end() / samples, most = motion.peak(k + 1), size = motion.peak(k);
  std::vector<double> last = motion.at(0, k);
  for (int i = 1; i <= samples; ++i) {
    std::vector<double> now = motion.at(h * i, k);
    if (distance(now, last) > 2 * h * most + 1e-3 * size)
      if (const double jump = jump_within(motion, k, h * (i - 1), h * i); !(jump <= 1e-3 * size))
        throw Failed(fmt::format(
            "derivative {} jumps by {:.2g} before t = {:g} s, where no break is reported (seed {})",
            k, jump, h * i, motion.seed()));
    last = std::move(now);
  }
}

// Checks the derivatives that are reported as continuous: they must not jump at a break, and must
// be zero at the end.
std::string smoothness(Trial& trial) {
  int looked_at = 0;
  for (uint64_t number = 0; number < motions_tried; ++number) {
    const Motion motion(trial, number);
    const int continuous = std::min(motion.motion.smoothness, motion.motion.order);
    for (int k = motion.of_frame() ? 1 : 0; k <= continuous; ++k) {
      const double scale =
          motion.peak(k) + motion.peak(std::min(k + 1, motion.motion.order)) + 1e-300;
      if (k < motion.motion.order) require_no_jump(motion, k);
      for (const double t : motion.breaks) {
        if (t <= 0 || t >= motion.end()) continue;
        const double h = 1e-9 * motion.end();
        if (const double jump = distance(motion.at(t - h, k), motion.at(t, k)) / scale;
            !(jump <= 1e-6))
          throw Failed(
              fmt::format("derivative {} jumps at the break t = {:g} s by {:.1e} of its peak, "
                          "although derivatives up to {} are reported as continuous (seed {})",
                          k, t, jump, motion.motion.smoothness, motion.seed()));
        ++looked_at;
      }
      if (k == 0 || !std::isfinite(motion.motion.duration)) continue;
      const std::vector<double> last = motion.at(motion.motion.duration, k);
      if (const double rest = distance(last, std::vector<double>(last.size())) / scale;
          !(rest <= 1e-6))
        throw Failed(fmt::format(
            "derivative {} is {:.1e} of its peak at the end, where the motion stops, although "
            "derivatives up to {} are reported as continuous (seed {})",
            k, rest, motion.motion.smoothness, motion.seed()));
      ++looked_at;
    }
  }
  return fmt::format("{} breaks and ends are as smooth as reported", looked_at);
}

Checks trajectory_checks() {
  return {{"derivatives", "laws", derivatives}, {"smoothness", "laws", smoothness}};
}

void add_trajectory_calls(HotCalls& calls, const State&, bool) {
  const torsor_model& model = calls.model();
  const torsor_plugin* self = calls.plugin().get();
  const auto api = table_of<torsor_trajectory>(calls.plugin(), TORSOR_TRAJECTORY);
  torsor_motion motion{};
  motion.struct_size = sizeof motion;
  if (api.describe(self, &motion) != TORSOR_OK)
    throw Failed(fmt::format("describe fails: {}", calls.plugin().report()));
  const double t = calls.random().uniform(0, std::isfinite(motion.duration) ? motion.duration : 10);
  for (int order = 0; order <= std::clamp(motion.order, 0, int(TORSOR_MAX_ORDER)); ++order) {
    const size_t size = motion.kind == TORSOR_MOTION_OF_FRAME ? size_t(12 + 6 * order)
                                                              : size_t((order + 1) * model.n_v);
    calls.add(fmt::format("evaluate (order {})", order), {{"out", size}},
              [=, &model](double* work, std::span<double* const> r) {
                return api.evaluate(self, t, order, work, r[0]);
              });
  }
}

void make_trajectory(const Trial& trial, const Case& at, const std::vector<Parameter>& parameters) {
  (void)trial.registry().make<Trajectory>(trial.info().id, at.model, parameters);
}

}  // namespace

TrialKind trajectory_trial() {
  return {.name = Trajectory::kind,
          .checks = {trajectory_checks},
          .is_timed = false,
          .is_of_motors = false,
          .make = make_trajectory,
          .add_calls = add_trajectory_calls};
}

}  // namespace torsor::validation
