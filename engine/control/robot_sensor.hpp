#pragma once
// RobotSensor: a sensor on a robot in addition to the encoders of its joints (sensor.hpp). Each
// sensor has a sampling period T. Sample k of each of its values is
//
//   y_k = res round((x(t_k) + b + sigma n_k) / res),   t_k = k T
//
// x is the exact value, as it is just before t_k: with the torques of the motors and the forces of
// contacts that act until t_k. It does not depend on what a controller computes at t_k. At t_k the
// sensor provides sample k - d, where d T is the delay, and it keeps this value until the next
// sample. Samples before the start are equal to the sample at the start. n_k is normally
// distributed. It depends only on seed, robot, name, k and the value's number, so that a run is
// repeatable, and the noise of different sensors is independent.
//
// A contact switch applies this to the sum of the normal forces on its link. Its value is 1 if the
// result is above its threshold, and otherwise 0.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// imu            angular velocity and specific force of a frame, in its axes
// joint_wrench   the wrench (moment, force) that a joint transmits to its link, at the origin of
//                the link in its axes, or at the origin of another frame in its axes
// touch          1 if the link touches anything, otherwise 0
// contact_force  the force of all contacts on the link, in the axes of the world
enum class SensorKind : unsigned char { imu, joint_wrench, touch, contact_force };

// A value of a sensor: the suffix of its recorded column ("" for a single value) and its unit.
struct SensorValue {
  const char *suffix, *unit;
};
// Values of a sensor that have one unit: a vector or a number. name: "" if the sensor has one part.
struct SensorPart {
  const char* name;
  size_t first, count;
};
struct SensorTraits {
  const char* name;
  std::span<const SensorValue> values;
  std::span<const SensorPart> parts;
};
const SensorTraits& traits(SensorKind kind);
inline constexpr SensorKind sensor_kinds[] = {SensorKind::imu, SensorKind::joint_wrench,
                                              SensorKind::touch, SensorKind::contact_force};

struct RobotSensor {
  std::string name = "";  // without dots; the signal is ROBOT.sensor.NAME
  int robot = 0;          // index of Model::robots
  SensorKind kind = SensorKind::imu;
  // Index of Model::frames: of an IMU, and of a joint_wrench that is not at the origin of the link.
  int frame = -1;
  int joint = -1;  // index of Model::joints, of a joint_wrench
  int link = -1;   // index of Model::links, of touch and contact_force
  // [values], or [] for zero: standard deviations of the noise, biases, and resolutions (0: exact),
  // in the units of the values. A contact switch has one of each, in N.
  std::vector<double> noise = {}, bias = {}, resolution = {};
  double threshold = 0;  // of a contact switch, N
  double period = 0;     // s; 0: each step of the simulation
  double delay = 0;      // s, an integer number of periods
  uint64_t seed = 0;
  std::string source = "";  // "file:line", for messages
};

// Returns a hash of everything that determines the samples.
uint64_t fingerprint(const RobotSensor& sensor);

// Returns the index of the sensor that a control of this robot names: NAME of the same robot, or
// ROBOT.NAME. Throws Error if there is none.
int sensor_index(const Model& model, std::span<const RobotSensor> sensors, int robot,
                 const std::string& name);

// The sensors of a run. The caller owns the memory of their samples.
class RobotSensors {
 public:
  RobotSensors() = default;
  // step: the step of the simulation, s. Throws Error for two sensors of a robot with one name, a
  // negative setting, a period that is shorter than a thousandth of the step, and a delay that is
  // not a whole number of periods.
  RobotSensors(const Model& model, std::span<const RobotSensor> sensors, double step);

  size_t size() const { return entries_.size(); }
  const RobotSensor& operator[](size_t i) const { return entries_[i].sensor; }  // with its period
  // Returns the number of values that all sensors store: for each sensor in turn its samples, the
  // latest one first.
  size_t n_stored() const { return n_stored_; }
  // Takes the k-th sample of a sensor, whose exact values are given. k = 0 discards all earlier
  // samples. The exact value of a contact switch is the sum of its normal forces, N.
  void take(size_t i, long long k, std::span<const double> exact, std::span<double> stored) const;
  // Returns the values that the sensor provides now.
  std::span<const double> measured(size_t i, std::span<const double> stored) const;

 private:
  struct Entry {
    RobotSensor sensor;
    size_t n, delay;  // number of values; delay in periods
    size_t first;     // index of its samples in the stored values
    uint64_t stream;  // seed of its noise
  };
  std::vector<Entry> entries_;
  size_t n_stored_ = 0;
};

}  // namespace torsor
