#include "torsor/handles/retimed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace torsor {

namespace {

// Returns f(k) = artanh(sqrt(k)) / sqrt(k): 1 + k/3 + k^2/5 + ..
double artanh_ratio(double k) {
  if (std::abs(k) < 1e-3) return 1 + k * (1.0 / 3 + k * (1.0 / 5 + k * (1.0 / 7 + k / 9)));
  const double w = std::sqrt(std::abs(k));
  return (k > 0 ? std::atanh(w) : std::atan(w)) / w;
}

// The functions of a piece at tau, with x = k tau^2: S = tau (1 + x/6 + x^2/120 + ..) and
// (C - 1) / k = tau^2 (1/2 + x/24 + x^2/720 + ..).
struct Hyperbolic {
  double S, C_1;

  Hyperbolic(double k, double tau) {
    const double x = k * tau * tau;
    if (std::abs(x) < 1e-2) {
      S = tau * (1 + x / 6 * (1 + x / 20 * (1 + x / 42 * (1 + x / 72))));
      C_1 = tau * tau / 2 * (1 + x / 12 * (1 + x / 30 * (1 + x / 56 * (1 + x / 90))));
      return;
    }
    const double w = std::sqrt(std::abs(k));
    S = (k > 0 ? std::sinh(w * tau) : std::sin(w * tau)) / w;
    C_1 = ((k > 0 ? std::cosh(w * tau) : std::cos(w * tau)) - 1) / k;
  }
};

// Converts derivatives with respect to s [order + 1][n] to derivatives with respect to t:
//   y_t = y' s_t,   y_tt = y'' s_t^2 + y' s_tt
void change_variable(double s_t, double s_tt, int order, size_t n, double* y) {
  for (size_t j = 0; j < n && order > 0; ++j) {
    const double first = y[n + j];
    y[n + j] = first * s_t;
    if (order > 1) y[2 * n + j] = y[2 * n + j] * s_t * s_t + first * s_tt;
  }
}

class Retimed final : public Plugin {
 public:
  Retimed(std::shared_ptr<const Trajectory> path, TimeTable law)
      : path_(std::move(path)), law_(std::move(law)) {
    descriptor_.struct_size = sizeof descriptor_;
    descriptor_.id = "trajectory.retimed";
    descriptor_.version = "1.0";
    descriptor_.summary = "another law of time along the path of a motion";
    descriptor_.family = "";
    plugin_ = {sizeof plugin_, this, nullptr, nullptr, prepare, get_interface, nullptr};
    for (const TimePiece& piece : law_.pieces) breaks_.push_back(piece.t);
    breaks_.push_back(law_.duration);
  }
  torsor_plugin* get() const override { return &plugin_; }
  const torsor_descriptor& descriptor() const override { return descriptor_; }
  std::string report() const override { return path_->explain({failure_}); }

 private:
  static const Retimed& of(const torsor_plugin* plugin) {
    return *static_cast<const Retimed*>(plugin->self);
  }
  static torsor_status prepare(torsor_plugin* plugin, const torsor_model*, torsor_sizes* out) {
    out->work_doubles = of(plugin).path_->work_doubles();
    return TORSOR_OK;
  }
  static torsor_status describe(const torsor_plugin* plugin, torsor_motion* out) {
    const Retimed& self = of(plugin);
    out->kind = TORSOR_MOTION_OF_JOINTS;
    out->duration = self.law_.duration;
    out->smoothness = self.law_.starts_at_rest && self.law_.ends_at_rest ? 1 : 0;
    out->order = std::min(2, self.path_->order());
    out->n_break = uint32_t(self.breaks_.size());
    out->breaks = self.breaks_.data();
    return TORSOR_OK;
  }
  static torsor_status evaluate(const torsor_plugin* plugin, double t, int32_t order, double* work,
                                double* out) {
    const Retimed& self = of(plugin);
    const std::vector<TimePiece>& pieces = self.law_.pieces;
    const auto after = std::ranges::upper_bound(pieces, t, {}, &TimePiece::t);
    const TimePiece& piece = *(after - 1);
    // The path is not evaluated at the end of a piece, where another piece of it may begin.
    const double last = after == pieces.end() ? self.law_.end : std::nextafter(after->s, piece.s);
    const auto [s, s_t, s_tt] = law(piece, t - piece.t, last);
    const torsor_status status = self.path_->coordinates(s, order, work, out);
    if (status != TORSOR_OK) self.failure_ = status;
    change_variable(s_t, s_tt, order, size_t(self.path_->model().n_v), out);
    return status;
  }
  // Returns s, at most `last`, and its derivatives.
  static std::array<double, 3> law(const TimePiece& piece, double tau, double last) {
    const auto& [t, s, rate, acceleration, stiffness] = piece;
    const Hyperbolic h(stiffness, tau);
    const double sigma = rate * h.S + acceleration * h.C_1,
                 s_t = rate * (1 + stiffness * h.C_1) + acceleration * h.S;
    return {std::clamp(s + sigma, s, last), std::max(0.0, s_t), acceleration + stiffness * sigma};
  }
  static const void* get_interface(const torsor_plugin*, const char* id) {
    static constexpr torsor_trajectory table{sizeof(torsor_trajectory), describe, evaluate};
    return std::string_view(id) == TORSOR_TRAJECTORY ? &table : nullptr;
  }

  std::shared_ptr<const Trajectory> path_;
  TimeTable law_;
  std::vector<double> breaks_;
  torsor_descriptor descriptor_{};
  mutable torsor_plugin plugin_{};
  mutable std::atomic<torsor_status> failure_ = TORSOR_OK;
};

}  // namespace

double time_of(const TimePiece& piece, double h, double rate) {
  const double mean = h / (piece.rate + rate);
  return 2 * mean * artanh_ratio(piece.stiffness * mean * mean);
}

std::shared_ptr<const Trajectory> retimed(std::shared_ptr<const Trajectory> path, TimeTable law) {
  if (path->of_frame())
    throw Error("the trajectory moves a frame; a new law of time needs a motion of the joints");
  Rows rows;
  for (const TimePiece& piece : law.pieces)
    rows.push_back({piece.t, piece.s, piece.rate, piece.acceleration, piece.stiffness});
  std::vector<Setting> settings{{"path", "", fmt::format("{:016x}", path->fingerprint())},
                                {"law", "s, s, 1, 1/s, 1/s^2", std::move(rows)}};
  std::shared_ptr<const Model> model = path->model_ptr();
  std::vector<double> base = path->base();
  return std::make_shared<const Trajectory>(
      ConfiguredPlugin{std::make_unique<Retimed>(std::move(path), std::move(law)),
                       std::move(settings), std::move(base)},
      std::move(model));
}

}  // namespace torsor
