#pragma once
// A prepared force: a plugin that computes wrenches on the bodies and torques on the joints of a
// model. They depend on the state of the model and on continuous states of the force.

#include <span>
#include <vector>

#include "torsor/mechanics/state.hpp"
#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/ext/force.h"

namespace torsor {

class Force {
 public:
  static constexpr const char* kind = "force";
  // Prepares the plugin for the model. Throws UnsupportedModel if the plugin does not support the
  // model. Throws Error if the plugin fails or requests too much memory.
  Force(ConfiguredPlugin configured, std::shared_ptr<const Model> model);

  std::string id() const { return plugin_->descriptor().id; }
  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const Model& model() const { return *model_; }
  const std::vector<Setting>& settings() const { return settings_; }
  uint64_t fingerprint() const { return torsor::fingerprint(descriptor(), *model_, settings_); }
  bool is_contact() const { return api_.is_contact != 0; }
  size_t n_x() const { return sizes_.n_x; }  // number of continuous states

  // The result of one evaluation (torsor_force_out) and its scratch memory.
  struct Result {
    LentArray<Wrench<double>> F_B;  // [n_body]
    LentArray<double> tau, xdot;    // [n_v], [n_x]
    double energy = 0, energy_rate = 0;
    WorkArea work;
  };
  Result make_result() const;

  // Poses and twists of the bodies, [n_body] each.
  struct Kinematics {
    std::span<const Pose<double>> X_WB;
    std::span<const Twist<double>> V_WB_B;
  };
  // [hot] Evaluates the force for its states x [n_x]. Deterministic. Does not allocate. Several
  // threads may call it at the same time, each with its own result.
  [[nodiscard]] Status evaluate(const State& state, const Kinematics& kinematics, const double* x,
                                Result& result) const;

  // Returns a sentence that explains a status of evaluate().
  std::string explain(Status status) const;

 private:
  torsor_status call(const torsor_state& state, const torsor_kinematics& kinematics,
                     const double* x, Result& result) const;

  std::unique_ptr<Plugin> plugin_;
  std::shared_ptr<const Model> model_;
  std::vector<Setting> settings_;
  torsor_model view_;
  torsor_sizes sizes_;
  torsor_force api_{};
};

}  // namespace torsor
