#include "torsor/control/robot_sensor.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/base/hash.hpp"
#include "torsor/control/noise.hpp"

namespace torsor {

namespace {

constexpr SensorValue imu_values[] = {{"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"},
                                      {"ax", "m/s^2"}, {"ay", "m/s^2"}, {"az", "m/s^2"}},
                      wrench_values[] = {{"nx", "N m"}, {"ny", "N m"}, {"nz", "N m"},
                                         {"fx", "N"},   {"fy", "N"},   {"fz", "N"}},
                      switch_values[] = {{"", "1"}},
                      force_values[] = {{"x", "N"}, {"y", "N"}, {"z", "N"}};
constexpr SensorPart imu_parts[] = {{"angular", 0, 3}, {"linear", 3, 3}},
                     wrench_parts[] = {{"moment", 0, 3}, {"force", 3, 3}},
                     switch_parts[] = {{"", 0, 1}}, force_parts[] = {{"", 0, 3}};
constexpr SensorTraits sensor_traits[] = {{"imu", imu_values, imu_parts},
                                          {"joint_wrench", wrench_values, wrench_parts},
                                          {"touch", switch_values, switch_parts},
                                          {"contact_force", force_values, force_parts}};

double entry(const std::vector<double>& values, size_t k) {
  return values.empty() ? 0 : values[k];
}

std::string title_of(const Model& model, const RobotSensor& sensor) {
  return fmt::format("{}{}sensor '{}' of robot '{}'", sensor.source,
                     sensor.source.empty() ? "" : ": ", sensor.name,
                     model.robots[size_t(sensor.robot)].name);
}

void check_settings(const RobotSensor& sensor, double step) {
  for (const double value : sensor.noise) require_not_negative("noise", value);
  for (const double value : sensor.resolution) require_not_negative("resolution", value);
  require_not_negative("threshold", sensor.threshold);
  for (const double value : sensor.bias)
    if (!std::isfinite(value)) throw Error("the sensor's bias must be finite");
  if (!(sensor.period >= 1e-3 * step && std::isfinite(sensor.period)))
    throw Error(fmt::format(
        "the sampling period is {:g} s, the rate {:g} Hz; both must be positive, and the period at "
        "least a thousandth of the step of {:g} s",
        sensor.period, 1 / sensor.period, step));
}

}  // namespace

const SensorTraits& traits(SensorKind kind) {
  return sensor_traits[size_t(kind)];
}

uint64_t fingerprint(const RobotSensor& sensor) {
  Hash hash;
  hash.add(sensor.name);
  for (const int x : {int(sensor.kind), sensor.robot, sensor.frame, sensor.joint, sensor.link})
    hash.add(x);
  for (const std::vector<double>* list : {&sensor.noise, &sensor.bias, &sensor.resolution}) {
    hash.add(list->size());
    hash.add(*list);
  }
  for (const double x : {sensor.threshold, sensor.period, sensor.delay}) hash.add(x);
  hash.add(sensor.seed);
  return hash.value();
}

int sensor_index(const Model& model, std::span<const RobotSensor> sensors, int robot,
                 const std::string& name) {
  std::vector<std::string> names;
  for (size_t k = 0; k < sensors.size(); ++k) {
    const RobotSensor& each = sensors[k];
    names.push_back(each.robot == robot
                        ? each.name
                        : fmt::format("{}.{}", model.robots[size_t(each.robot)].name, each.name));
    if (names.back() == name) return int(k);
  }
  throw Error(fmt::format("there is no sensor '{}'; {}{}", name,
                          names.empty()
                              ? std::string("the robots have none; add one with arm:sensor(..)")
                              : fmt::format("there are {}", fmt::join(names, ", ")),
                          did_you_mean(name, names)));
}

RobotSensors::RobotSensors(const Model& model, std::span<const RobotSensor> sensors, double step) {
  for (const RobotSensor& each : sensors) {
    Entry entry{each, traits(each.kind).values.size(), 0, n_stored_, 0};
    if (each.period == 0) entry.sensor.period = step;
    try {
      check_settings(entry.sensor, step);
      entry.delay = periods_of_delay(each.delay, entry.sensor.period);
      for (const Entry& other : entries_)
        if (other.sensor.robot == each.robot && other.sensor.name == each.name)
          throw Error("another sensor of the robot has the same name; give one of them a name");
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", title_of(model, each), error.what()));
    }
    Hash stream;
    stream.add(each.seed);
    stream.add(model.robots[size_t(each.robot)].name);
    stream.add(each.name);
    entry.stream = stream.value();
    n_stored_ += entry.n * (entry.delay + 1);
    entries_.push_back(std::move(entry));
  }
}

void RobotSensors::take(size_t i, long long k, std::span<const double> exact,
                        std::span<double> stored) const {
  const auto& [sensor, n, delay, first, stream] = entries_[i];
  const std::span<double> samples = stored.subspan(first, n * (delay + 1));
  std::copy_backward(samples.begin(), samples.end() - std::ptrdiff_t(n), samples.end());
  for (size_t c = 0; c < n; ++c) {
    double y = exact[c] + entry(sensor.bias, c);
    if (const double sigma = entry(sensor.noise, c); sigma > 0)
      y += sigma * normal_noise(stream, k, c);
    if (const double resolution = entry(sensor.resolution, c); resolution > 0)
      y = resolution * std::round(y / resolution);
    samples[c] = sensor.kind == SensorKind::touch ? double(y > sensor.threshold) : y;
  }
  for (size_t d = 1; k == 0 && d <= delay; ++d)
    std::copy_n(samples.begin(), n, samples.begin() + std::ptrdiff_t(d * n));
}

std::span<const double> RobotSensors::measured(size_t i, std::span<const double> stored) const {
  const Entry& of = entries_[i];
  return stored.subspan(of.first + of.n * of.delay, of.n);
}

}  // namespace torsor
