#pragma once
// SensorInstant: the exact values of all sensors at one instant, from the state of the bodies,
// their accelerations and the forces of contacts.

#include <span>
#include <vector>

#include "torsor/control/robot_sensor.hpp"
#include "torsor/mechanics/joint_wrenches.hpp"
#include "torsor/simulation/sensors/contact_force.hpp"

namespace torsor {

class SensorInstant {
 public:
  // Starts an instant. The arguments must outlive the evaluations of the instant.
  // - state: with the wrenches of forces, without those of contacts
  // - vdot: [n_v]
  // - F_A: the wrenches of closures (constraints/closure_wrenches.hpp)
  // - contacts: their forces; they act at the time of the state plus `ahead`, s
  void begin(const State& state, std::span<const double> vdot, std::span<const Wrench<double>> F_A,
             std::span<const ContactForce> contacts, double ahead);
  // Writes the exact values of a sensor, [values] (RobotSensors::take). Does not allocate, except
  // for joint wrenches of closed mechanisms and at the first evaluation.
  void evaluate(const RobotSensor& sensor, std::span<double> out);

 private:
  std::span<const Wrench<double>> joint_wrenches();

  const State* state_ = nullptr;
  std::span<const double> vdot_;
  std::span<const Wrench<double>> F_A_;
  std::span<const ContactForce> contacts_;
  double ahead_ = 0;
  bool has_wrenches_ = false;              // true: W_B_ is valid
  std::vector<Wrench<double>> F_B_, W_B_;  // [n_body]
  std::vector<BodyMotion> motions_;        // [n_body]
};

}  // namespace torsor
