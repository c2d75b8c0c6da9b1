#pragma once
// A prepared law of control: a plugin that gives torques from what is measured and what is wanted,
// with its own model of the robot.

#include <span>
#include <vector>

#include "torsor/plugin/dynamics_service.hpp"
#include "torsor/plugin/parameter.hpp"
#include "torsor/plugin/plugin.hpp"
#include "torsor/sdk/ext/controller.h"

namespace torsor {

struct ControlSignal {
  std::string name, unit;  // "": of each column's torque
  size_t count;            // numbers; of one for each column n_v
  bool per_column, is_acceleration;
};

class Controller {
 public:
  // Prepares the plugin, which has these settings and this service, for the service's model. Throws
  // as prepare(), and Error where its sizes cannot be, or where it needs a motor at each column and
  // there is none.
  Controller(std::unique_ptr<Plugin> plugin, std::unique_ptr<DynamicsService> dynamics,
             std::vector<Setting> settings = {});

  std::string id() const { return plugin_->descriptor().id; }
  const torsor_descriptor& descriptor() const { return plugin_->descriptor(); }
  const Model& model() const { return dynamics_->model(); }
  std::shared_ptr<const Model> model_ptr() const { return dynamics_->model_ptr(); }
  const DynamicsService& dynamics() const { return *dynamics_; }
  const std::vector<Setting>& settings() const { return settings_; }
  const std::string& note() const {
    return note_;
  }  // what it had to say of its parameters and the model, or ""
  const std::vector<ControlSignal>& signals() const { return signals_; }
  int reference() const { return api_.reference; }  // TORSOR_REFERENCE_..
  bool of_motors() const {
    return api_.of_motors > 0;
  }  // q and v are to be those of motors of elastic joints
  bool of_joints() const { return api_.of_motors < 0; }  // ... are to be those of the joints
  int smoothness() const {
    return api_.smoothness;
    // Derivatives of its reference that are to be continuous.
  }
  size_t n_x() const { return sizes_.n_x; }  // continuous states
  size_t n_memory() const { return sizes_.n_memory; }
  // Of all that makes it act as it does: plugin, version, settings, model, solver.
  uint64_t fingerprint() const;

  // What one evaluation gives (torsor_control_output), with the scratch that it needs.
  struct Result {
    LentArray<double> tau, xdot, memory, signal;
    WorkArea work;
  };
  Result make_result() const;

  // Hot call: no allocation but of derived dynamics, deterministic. memory comes in and goes out of
  // the result.
  [[nodiscard]] Status evaluate(const torsor_control_input& input, Result& result) const;

  // A sentence for the status of evaluate(), naming what is to blame.
  std::string explain(Status status) const;

 private:
  torsor_status call(const torsor_control_input& input, Result& result) const;

  std::unique_ptr<DynamicsService> dynamics_;  // first: the plugin's calls reach it
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
