#pragma once
// A prepared controller: a plugin that computes torques from measurements and a reference. It has
// its own nominal model of the robot.

#include <span>
#include <vector>

#include "torsor/handles/dynamics_service.hpp"
#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/ext/controller.h"

namespace torsor {

struct ControlSignal {
  std::string name, unit;  // unit "" means the torque unit of each dof
  size_t count;            // number of values; n_v for one value per dof
  bool per_dof, is_acceleration;
};

class Controller {
 public:
  static constexpr const char* kind = "controller";
  // Provides the dynamics service to the plugin and prepares the plugin for the model of the
  // service. Throws UnsupportedModel if the plugin does not support the model, or needs a motor at
  // each dof and a joint of a mechanism without closed loops has none. Throws Error if the plugin
  // fails or requests too much memory.
  Controller(ConfiguredPlugin configured, std::unique_ptr<DynamicsService> dynamics);

  std::string id() const { return plugin_->descriptor().id; }
  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const Model& model() const { return dynamics_->model(); }
  std::shared_ptr<const Model> model_ptr() const { return dynamics_->model_ptr(); }
  const DynamicsService& dynamics() const { return *dynamics_; }
  const std::vector<Setting>& settings() const { return settings_; }
  // Returns what the plugin reported in prepare() about its parameters and the model, or "".
  const std::string& note() const { return note_; }
  const std::vector<ControlSignal>& signals() const { return signals_; }
  int reference() const { return api_.reference; }  // TORSOR_REFERENCE_..
  // Returns whether q and v must be measured at the motors of elastic joints.
  bool of_motors() const { return api_.of_motors > 0; }
  // Returns whether q and v must be measured at the joints.
  bool of_joints() const { return api_.of_motors < 0; }
  // Returns how many derivatives of the reference position must be continuous.
  int smoothness() const { return api_.smoothness; }
  size_t n_x() const { return sizes_.n_x; }  // number of continuous states
  size_t n_memory() const { return sizes_.n_memory; }
  // Returns a hash of everything that determines the behaviour of the controller: plugin, version,
  // settings, model and solver.
  uint64_t fingerprint() const;

  // The result of one evaluation (torsor_control_output) and its scratch memory.
  struct Result {
    LentArray<double> tau, xdot, memory, signal;
    WorkArea work;
  };
  Result make_result() const;

  // [hot] Evaluates the control law. Deterministic. Does not allocate, unless a derived quantity of
  // the nominal model does. The memory of the controller is input and output: the function copies
  // input.memory to result.memory before it calls the plugin.
  [[nodiscard]] Status evaluate(const torsor_control_input& input, Result& result) const;

  // Returns a sentence that explains a status of evaluate().
  std::string explain(Status status) const;

 private:
  torsor_status call(const torsor_control_input& input, Result& result) const;

  // Must be declared before plugin_, because calls of the plugin use it.
  std::unique_ptr<DynamicsService> dynamics_;
  std::unique_ptr<Plugin> plugin_;
  std::vector<Setting> settings_;
  std::string note_;
  torsor_model view_;
  torsor_sizes sizes_;
  torsor_controller api_{};
  std::vector<ControlSignal> signals_;
  size_t n_signal_ = 0;
};

}  // namespace torsor
