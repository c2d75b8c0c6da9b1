#include "torsor/control/control_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "torsor/base/error.hpp"
#include "torsor/model/rotor_body.hpp"

namespace torsor {

namespace {
constexpr double infinite = std::numeric_limits<double>::infinity();
}

std::string at_source(const Control& control) {
  return control.source.empty() ? "" : control.source + ": ";
}

std::vector<double> limits_of(const Model& model, const Control& control) {
  const Robot& robot = model.robots[size_t(control.robot)];
  std::vector<double> limits = control.max_torque;
  if (control.law_gives_inputs() && !limits.empty())
    throw Error(
        fmt::format("{}the control '{}' returns inputs, so max_torque has no meaning; give "
                    "its motors max_input or max_current",
                    at_source(control), control.name));
  if (limits.empty()) limits.assign(size_t(robot.n_v), infinite);
  for (size_t k = 0; k < limits.size(); ++k)
    if (model.drives[size_t(robot.first_v) + k].passive) limits[k] = 0;
  return limits;
}

std::vector<double> gains_of(const Model& model, const Control& control) {
  const Robot& robot = model.robots[size_t(control.robot)];
  const std::vector<Mimicry> following = followers(model);
  std::vector<double> gains(size_t(robot.n_v), 0.0);
  for (size_t k = 0; k < gains.size(); ++k) {
    const int column = robot.first_v + int(k);
    if (model.drives[size_t(column)].passive) continue;
    const Motor& motor = motor_of_dof(model, column);
    gains[k] = motor.torque_constant * motor.amplifier_gain;
    if (gains[k] == 0 && !std::ranges::count(following, column, &Mimicry::dof))
      throw Error(fmt::format(
          "{}the control '{}' returns inputs, but the motor of joint '{}' has no amplifier; set "
          "torque_constant and amplifier_gain in its motor, or passive = true in its joint",
          at_source(control), control.name, model.joint_of_dof(column).name));
  }
  return gains;
}

void move_to_leaders(const Model& model, const std::vector<Mimicry>& followers,
                     const Control& control, std::span<const double> gains, std::span<double> tau) {
  const int first = model.robots[size_t(control.robot)].first_v;
  for (const Mimicry& mimic : followers) {
    const int k = mimic.dof - first, leader = mimic.of_dof - first;
    if (k < 0 || size_t(k) >= tau.size() || gains[size_t(k)] != 0) continue;
    if (model.drives[size_t(mimic.of_dof)].passive) continue;
    tau[size_t(leader)] += mimic.ratio * std::exchange(tau[size_t(k)], 0.0);
  }
}

void require_amplifiers(const Model& model, const Control& control, std::span<const double> gains,
                        std::span<const double> given) {
  const int first = model.robots[size_t(control.robot)].first_v;
  for (size_t k = 0; k < given.size(); ++k)
    if (given[k] != 0 && gains[k] == 0)
      throw Error(fmt::format(
          "{}the control '{}' drives joint '{}', which follows another one and whose motor has no "
          "amplifier; set torque_constant and amplifier_gain in its motor, or return 0 for it",
          at_source(control), control.name, model.joint_of_dof(first + int(k)).name));
}

std::vector<double> useful_limits(const Model& model, const Control& control,
                                  std::vector<double> limits) {
  for (size_t k = 0; k < limits.size(); ++k) {
    const int column = model.robots[size_t(control.robot)].first_v + int(k);
    const Motor& motor = motor_of_dof(model, column);
    const double at_joint = std::abs(motor.gear_ratio) * motor.torque_constant;
    double torque = infinite;
    if (motor.clamp) torque = model.joint_of_dof(column).effort_limit;
    if (motor.stall_torque > 0) torque = std::min(torque, motor.stall_torque);
    if (control.law_gives_inputs() && limits[k] > 0 && motor.amplifier_gain > 0)
      limits[k] = std::min(torque / at_joint, motor.current_limit()) / motor.amplifier_gain;
    else if (&motor == &model.drives[size_t(column)].motor)
      limits[k] =
          std::min({limits[k], torque, at_joint > 0 ? at_joint * motor.current_limit() : infinite});
  }
  return limits;
}

}  // namespace torsor
