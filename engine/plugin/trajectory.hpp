#pragma once
// A prepared trajectory: where a plugin would have the joints, or a frame, be at a time, and how
// they move there.

#include <vector>

#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/plugin/reference.hpp"
#include "torsor/sdk/ext/trajectory.h"

namespace torsor {

// The q_0 [n_q] of coordinates y [n_v], q = q_0 (+) y (torsor_trajectory): on joints whose columns
// are each the rate of an entry of q zeros, so that y is q; on curved ones the entries of q.
std::vector<double> chart_base(const Model& model, std::span<const double> q);

// The velocity and its derivatives of q = q_0 (+) y, in place: y [order + 1][n_v], with its
// derivatives from the second row on, which become those of v. No allocation.
void chart_motion(const Model& model, int order, double* y);

class Trajectory {
 public:
  // Prepares the plugin, which has these settings, for the model. base: chart_base() of the
  // plugin's configuration. Throws as prepare(), and Error where what it says of its motion cannot
  // be.
  Trajectory(std::unique_ptr<Plugin> plugin, std::shared_ptr<const Model> model,
             std::vector<double> base, std::vector<Setting> settings = {});

  std::string id() const { return plugin_->descriptor().id; }
  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& model_ptr() const { return model_; }
  const std::vector<Setting>& settings() const { return settings_; }
  uint64_t fingerprint() const;

  bool of_frame() const { return kind_ == TORSOR_MOTION_OF_FRAME; }  // else of the joints
  double duration() const { return duration_; }                      // s, may be infinite
  // Continuous derivatives, or TORSOR_SMOOTH.
  int smoothness() const { return smoothness_; }
  int order() const { return order_; }  // the highest derivative it gives
  // S, ascending: where a derivative jumps.
  const std::vector<double>& breaks() const { return breaks_; }

  // With room for derivatives up to an order, and no more than the trajectory gives.
  Reference make_reference(int order = TORSOR_MAX_ORDER) const;

  // Hot call: no allocation, deterministic, any thread with a reference of its own. Before 0 it
  // stands at the start, after the duration at the end.
  [[nodiscard]] Status evaluate(double t, Reference& out) const;

  // A sentence for the status of evaluate(), naming what is to blame.
  std::string explain(Status status) const;

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
  int kind_ = TORSOR_MOTION_OF_JOINTS, smoothness_ = 0, order_ = 0;
  double duration_ = 0;
  std::vector<double> breaks_;
};

}  // namespace torsor
