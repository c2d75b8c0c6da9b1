#pragma once
// Names of a model's robots, joints, frames and controls. An index makes the time to look up a
// signal independent of the number of robots.

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "torsor/control/control.hpp"

namespace torsor {

class SignalNames {
 public:
  // The arguments must outlive this object.
  SignalNames(const Model& model, const std::vector<Control>& controls,
              std::span<const RobotSensor> sensors);

  // A way to split the name of a signal into "ROBOT.REST". A robot's name may contain dots, so
  // there may be several ways.
  struct Reading {
    const Robot* robot;
    std::string_view rest;
  };
  std::vector<Reading> readings(std::string_view signal) const;
  bool has_robot(std::string_view name) const { return robots_.contains(name); }

  // Return the name of an entry of q or v. In a model of several robots, the prefix "ROBOT." is
  // removed.
  std::string coordinate(const Robot& robot, int q_index) const;
  std::string column(const Robot& robot, int v_index) const;
  // Returns the name of a frame. In a model of several robots, the prefix "ROBOT." is removed.
  std::string frame(const Robot& robot, int frame) const;
  // Returns the index of the robot's frame with this name, or -1.
  int find_frame(const Robot& robot, std::string_view name) const;
  // Return the index of the robot's joint or link with this name, or -1.
  int find_joint(const Robot& robot, std::string_view name) const;
  int find_link(const Robot& robot, std::string_view name) const;
  // Returns the part of `name` before a colon, or all of it, if this is a fixed joint of the robot;
  // otherwise "".
  std::string fixed_joint(const Robot& robot, std::string_view name) const;
  // Returns the name without the prefix "ROBOT." of a model of several robots.
  std::string own(const Robot& robot, const std::string& name) const;
  const std::vector<int>& frames_of(const Robot& robot) const { return frames_of_[index(robot)]; }
  // Returns the indices of a robot's controls among all controls.
  const std::vector<size_t>& controls_of(const Robot& robot) const {
    return controls_of_[index(robot)];
  }

  // The dof of an elastic joint, and the index of its motor among all motors of elastic joints
  struct Motor {
    int column, motor;
  };
  const std::vector<Motor>& motors_of(const Robot& robot) const { return motors_of_[index(robot)]; }

  const Model& model() const { return model_; }
  const std::vector<Control>& controls() const { return controls_; }
  std::span<const RobotSensor> sensors() const { return sensors_; }

 private:
  size_t index(const Robot& robot) const { return size_t(&robot - model_.robots.data()); }
  // Returns the name with the prefix "ROBOT." if the model has several robots.
  std::string full(const Robot& robot, std::string_view name) const;

  const Model& model_;
  const std::vector<Control>& controls_;
  std::span<const RobotSensor> sensors_;
  std::vector<std::string> coordinates_, columns_;
  std::unordered_map<std::string_view, int> robots_, frames_;
  std::vector<std::vector<int>> frames_of_;       // [robots]
  std::vector<std::vector<size_t>> controls_of_;  // [robots]
  std::vector<std::vector<Motor>> motors_of_;     // [robots]
};

}  // namespace torsor
