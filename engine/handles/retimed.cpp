#include "torsor/handles/retimed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace torsor {

namespace {

// Converts derivatives with respect to s [order + 1][n] to derivatives with respect to t, where
// s''' = 0:
//   y_t = y' s',   y_tt = y'' s'^2 + y' s'',   y_ttt = y''' s'^3 + 3 y'' s' s'',
//   y_tttt = y'''' s'^4 + 6 y''' s'^2 s'' + 3 y'' s''^2
void change_variable(double s1, double s2, int order, size_t n, double* y) {
  for (size_t j = 0; j < n; ++j) {
    double d[TORSOR_MAX_ORDER + 1] = {};
    for (int k = 1; k <= order; ++k) d[k] = y[size_t(k) * n + j];
    const double rates[] = {d[1] * s1, d[2] * s1 * s1 + d[1] * s2,
                            (d[3] * s1 * s1 + 3 * d[2] * s2) * s1,
                            (d[4] * s1 * s1 + 6 * d[3] * s2) * s1 * s1 + 3 * d[2] * s2 * s2};
    for (int k = 1; k <= order; ++k) y[size_t(k) * n + j] = rates[k - 1];
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
    out->order = self.path_->order();
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
    const double tau = t - piece.t;
    // The path is not evaluated at the end of a piece, where another piece of it may begin.
    const double last = after == pieces.end() ? self.law_.end : std::nextafter(after->s, piece.s);
    const double s =
        std::clamp(piece.s + (piece.rate + piece.acceleration * tau / 2) * tau, piece.s, last);
    const torsor_status status = self.path_->coordinates(s, order, work, out);
    if (status != TORSOR_OK) self.failure_ = status;
    change_variable(std::max(0.0, piece.rate + piece.acceleration * tau), piece.acceleration, order,
                    size_t(self.path_->model().n_v), out);
    return status;
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

std::shared_ptr<const Trajectory> retimed(std::shared_ptr<const Trajectory> path, TimeTable law) {
  if (path->of_frame())
    throw Error("the trajectory moves a frame; a new law of time needs a motion of the joints");
  Rows rows;
  for (const TimePiece& piece : law.pieces)
    rows.push_back({piece.t, piece.s, piece.rate, piece.acceleration});
  std::vector<Setting> settings{{"path", "", fmt::format("{:016x}", path->fingerprint())},
                                {"law", "s, s, 1, 1/s", std::move(rows)}};
  std::shared_ptr<const Model> model = path->model_ptr();
  std::vector<double> base = path->base();
  return std::make_shared<const Trajectory>(
      ConfiguredPlugin{std::make_unique<Retimed>(std::move(path), std::move(law)),
                       std::move(settings), std::move(base)},
      std::move(model));
}

}  // namespace torsor
