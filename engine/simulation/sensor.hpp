#pragma once
// What a sampled controller sees of the joints: encoders of a resolution, noise, velocities made of positions, and a delay.
//
//   q_k = res round((q(t_k) + sigma_q n_k) / res),   v_k = v(t_k) + sigma_v n'_k,  or  (q_k (-) q_(k-1)) / T where it differentiates
// and what is given at t_k is of k - d, with d T the delay. Before the start it stood as at the start. n_k is normal and
// depends on seed, k and column alone, so that a run repeats.

#include <cstdint>
#include <span>
#include <vector>

#include "torsor/model/model.hpp"

namespace torsor {

// Of joints, or of the motors of elastic ones; beside it the same with the motors of elastic joints in place of these, where it is known.
struct Measured {
  double t;
  std::span<const double> q, v;
  std::span<const double> motor_q = {}, motor_v = {};
};

struct Sensor {
  double resolution = 0;             // of positions, rad or m; 0: exact
  double noise = 0, rate_noise = 0;  // standard deviations of positions and velocities
  bool differentiates = false;       // velocities are differences of measured positions
  double delay = 0;                  // s, a whole number of periods
  uint64_t seed = 0;
  bool is_exact() const {
    return resolution == 0 && noise == 0 && rate_noise == 0 && !differentiates && delay == 0;
  }
};

// What a sensor remembers of its samples, the last first: numbers that its owner keeps.
class SensorMemory {
 public:
  SensorMemory() = default;
  // Throws Error for negative numbers, and for a delay that is no whole number of periods.
  SensorMemory(const Model& model, const Sensor& sensor, double period);

  size_t size() const { return samples_ * (n_q_ + n_v_); }
  // Takes the k-th sample, and gives what is seen of it; valid until the next. k = 0 forgets what was before.
  Measured look(const Model& model, long long k, const Measured& at, std::span<double> kept);

 private:
  void disturb(const Model& model, long long k, std::span<double> q, std::span<double> v) const;

  Sensor sensor_;
  double period_ = 0;
  size_t n_q_ = 0, n_v_ = 0, delay_ = 0, samples_ = 0;
  std::vector<double> d_, v_;  // [n_v]
};

}  // namespace torsor
