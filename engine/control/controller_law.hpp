#pragma once
// A control law that is implemented by a plugin. Converts the measurements and the reference into
// the input of the plugin.

#include <optional>

#include "torsor/control/control.hpp"
#include "torsor/handles/controller.hpp"
#include "torsor/mechanics/tracking.hpp"

namespace torsor {

class ControllerLaw final : public ControlLaw {
 public:
  // Wraps a controller. The model of the controller must have the same dof as the robot. reference:
  // nullopt if the controller follows no reference. Throws Error if the controller requires another
  // kind of reference.
  ControllerLaw(std::shared_ptr<const Controller> controller,
                std::optional<ReferenceLaw> reference);
  ControllerLaw(const ControllerLaw& other) : ControllerLaw(other.controller_, other.reference_) {}

  std::unique_ptr<ControlLaw> clone() const override {
    return std::make_unique<ControllerLaw>(*this);
  }
  size_t n_x() const override { return controller_->n_x(); }
  std::vector<double> initial_memory() const override {
    return std::vector<double>(controller_->n_memory(), 0.0);
  }
  const std::vector<LawSignal>& signals() const override { return signals_; }
  size_t n_signal() const override { return n_signal_; }
  const ReferenceLaw* reference() const override { return reference_ ? &*reference_ : nullptr; }
  std::shared_ptr<const ControlLaw> following(const ReferenceLaw& reference) const override {
    return std::make_shared<ControllerLaw>(controller_, reference);
  }
  void evaluate(const Measured& at, double period, std::span<const double> max_torque,
                std::span<const double> x, const Answer& out) override;
  std::span<const double> breaks() const override {
    return reference_ ? std::span<const double>(reference_->breaks) : std::span<const double>();
  }
  uint64_t fingerprint() const override;
  bool computes_torques() const override { return true; }
  const Controller& controller() const { return *controller_; }

 private:
  void follow(double t, torsor_control_input& input);
  std::string explain(Status status) const;

  std::shared_ptr<const Controller> controller_;
  std::optional<ReferenceLaw> reference_;
  std::vector<LawSignal> signals_;
  size_t n_signal_ = 0;
  State at_, desired_;
  Reference now_;
  std::vector<double> rest_;  // [n_v] zeros, for derivatives that a reference does not provide
  Tracking tracking_;
  Controller::Result result_;
};

}  // namespace torsor
