#pragma once
// Sensor: the measurements that a sampled controller receives, with the resolution of encoders,
// noise, velocities from positions, and a delay.
//
//   q_k = res round((q(t_k) + sigma_q n_k) / res)
//   v_k = v(t_k) + sigma_v n'_k,  or  (q_k (-) q_(k-1)) / T if the sensor differentiates
//
// At t_k the controller receives sample k - d, where d T is the delay. Samples before the start are
// equal to the sample at the start. n_k and n'_k are normally distributed and depend only on seed,
// k and dof, so that a run is repeatable. Only coordinates whose rate is a dof are rounded.

#include <cstdint>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// Measurements of a control. q and v are those of the joints, or of the motors if the control
// measures the motors. motor_q and motor_v contain the values of the motors for elastic joints, and
// otherwise those of the joints. They are empty if unknown. lower and upper [n_v] are the range of
// the law's results that has an effect at the measured rates (Controls). They are empty if unknown.
// sensors contains the values of the sensors that the control reads (Control::sensors).
struct Measured {
  double t;
  std::span<const double> q, v;
  std::span<const double> motor_q = {}, motor_v = {};
  std::span<const double> lower = {}, upper = {};
  std::span<const double> sensors = {};
};

struct Sensor {
  double resolution = 0;             // resolution of positions, rad or m; 0: exact
  double noise = 0, rate_noise = 0;  // standard deviations for positions and velocities
  bool differentiates = false;       // true: velocities are differences of measured positions
  double delay = 0;                  // s, an integer number of periods
  uint64_t seed = 0;
  bool is_exact() const {
    return resolution == 0 && noise == 0 && rate_noise == 0 && !differentiates && delay == 0;
  }
};

// The past samples of a sensor, the latest one first. The caller owns the memory of the samples.
class SensorMemory {
 public:
  SensorMemory() = default;
  // Throws Error if a setting is negative, or if the delay is not a whole number of periods.
  SensorMemory(const Model& model, const Sensor& sensor, double period);

  size_t size() const { return samples_ * (n_q_ + n_v_); }
  // Takes the k-th sample and returns the measurement, valid until the next call. k = 0 discards
  // all earlier samples.
  Measured measure(const Model& model, long long k, const Measured& at, std::span<double> samples);

 private:
  void disturb(const Model& model, long long k, std::span<double> q, std::span<double> v) const;

  Sensor sensor_;
  double period_ = 0;
  size_t n_q_ = 0, n_v_ = 0, delay_ = 0, samples_ = 0;
  std::vector<double> d_, v_;  // [n_v]
};

}  // namespace torsor
