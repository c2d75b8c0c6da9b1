#pragma once
// A prepared trajectory: a plugin that computes the desired position and motion of the joints, or
// of a frame, over time.

#include <vector>

#include "torsor/handles/reference.hpp"
#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/ext/trajectory.h"

namespace torsor {

// Returns the origin q_0 [n_q] of the coordinates y [n_v], q = q_0 (+) y (see torsor_trajectory).
// If each dof of a joint is the rate of an entry of q, q_0 is zero there and y is q. On curved
// joints q_0 is the entries of q.
std::vector<double> chart_base(const Model& model, std::span<const double> q);

// Converts the derivatives of y into the velocity v and its derivatives, for q = q_0 (+) y. y is
// [order + 1][n_v], with derivatives from the second row on, and is changed in place. No
// allocation.
void chart_motion(const Model& model, int order, double* y);

class Trajectory {
 public:
  // Prepares the plugin, with its settings, for the model. base: chart_base() of the plugin's
  // configuration. Throws as prepare() does, and Error if the plugin describes an impossible
  // motion.
  Trajectory(std::unique_ptr<Plugin> plugin, std::shared_ptr<const Model> model,
             std::vector<double> base, std::vector<Setting> settings = {});

  std::string id() const { return plugin_->descriptor().id; }
  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& model_ptr() const { return model_; }
  const std::vector<Setting>& settings() const { return settings_; }
  uint64_t fingerprint() const;

  bool of_frame() const { return kind_ == TORSOR_MOTION_OF_FRAME; }  // otherwise of the joints
  double duration() const { return duration_; }                      // s, may be infinite
  // Returns the number of continuous derivatives, or TORSOR_SMOOTH.
  int smoothness() const { return smoothness_; }
  int order() const { return order_; }  // highest derivative that it provides
  // Returns the times at which a derivative jumps, in s, ascending.
  const std::vector<double>& breaks() const { return breaks_; }

  // Returns a reference with room for derivatives up to an order, limited to the order of the
  // trajectory.
  Reference make_reference(int order = TORSOR_MAX_ORDER) const;

  // [hot] Evaluates the motion at time t. No allocation, deterministic. Any thread may call it with
  // its own reference. Before 0 the motion is at rest at its start, after the duration at its end.
  [[nodiscard]] Status evaluate(double t, Reference& out) const;

  // Returns a message that explains a status of evaluate().
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
