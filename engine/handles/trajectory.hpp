#pragma once
// A prepared trajectory: a plugin that computes a desired motion of the joints or of a frame over
// time.

#include <vector>

#include "torsor/handles/desired_motion.hpp"
#include "torsor/plugin/parameter.hpp"

namespace torsor {

// Returns the origin q_0 [n_q] of the coordinates y [n_v] of a motion, q = q_0 (+) y (see
// torsor_trajectory). If each dof of a joint is the rate of one entry of q, q_0 is zero for this
// joint, and y equals q. For other joints (spherical, planar, floating), q_0 consists of the
// entries of q.
std::vector<double> chart_base(const Model& model, std::span<const double> q);

// Converts the time derivatives of y into v and its derivatives, for q = q_0 (+) y. y is [order +
// 1][n_v]. Row 0 is y and does not change. The rows from 1 on contain the derivatives of y on
// entry, and v and its derivatives on return. Does not allocate.
void chart_motion(const Model& model, int order, double* y);

class Trajectory : public DesiredMotion {
 public:
  static constexpr const char* kind = "trajectory";
  // Prepares the plugin for the model. configured.base: chart_base() of the plugin's configuration.
  // Throws UnsupportedModel if the plugin does not support the model. Throws Error if the plugin
  // fails or describes an invalid motion.
  Trajectory(ConfiguredPlugin configured, std::shared_ptr<const Model> model);

  std::string id() const override { return plugin_->descriptor().id; }
  const std::shared_ptr<const Model>& model_ptr() const override { return model_; }
  uint64_t fingerprint() const override;
  Reference make_reference(int order = TORSOR_MAX_ORDER) const override;
  [[nodiscard]] Status evaluate(double t, Reference& out) const override;
  std::string explain(Status status) const override;

  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const std::vector<Setting>& settings() const { return settings_; }

  // These functions serve a motion that is made from this one. base(): q_0 [n_q] of its coordinates
  // y. coordinates() [hot]: evaluates y and its derivatives [order + 1][n_v] at a time in [0,
  // duration], of a motion of the joints. work: [work_doubles()], aligned to 64 bytes.
  const std::vector<double>& base() const { return base_; }
  size_t work_doubles() const { return sizes_.work_doubles; }
  [[nodiscard]] torsor_status coordinates(double t, int order, double* work, double* y) const {
    return plugin_->ask("evaluate", api_.evaluate, plugin_->get(), t, order, work, y);
  }

 private:
  torsor_status call(double t, Reference& out) const;
  void describe();

  std::unique_ptr<Plugin> plugin_;
  std::shared_ptr<const Model> model_;
  std::vector<double> base_;  // [n_q]
  std::vector<Setting> settings_;
  torsor_model view_;
  torsor_sizes sizes_;
  torsor_trajectory api_{};
};

}  // namespace torsor
