#include "torsor/control/sensor.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/control/noise.hpp"

namespace torsor {

SensorMemory::SensorMemory(const Model& model, const Sensor& sensor, double period)
    : sensor_(sensor),
      period_(period),
      n_q_(size_t(model.n_q)),
      n_v_(size_t(model.n_v)),
      d_(n_v_),
      v_(n_v_) {
  require_not_negative("resolution", sensor.resolution);
  require_not_negative("noise", sensor.noise);
  require_not_negative("rate_noise", sensor.rate_noise);
  delay_ = periods_of_delay(sensor.delay, period);
  samples_ = sensor.is_exact() ? 0 : delay_ + (sensor.differentiates ? 2 : 1);
}

void SensorMemory::disturb(const Model& model, long long k, std::span<double> q,
                           std::span<double> v) const {
  const auto& [resolution, noise, rate_noise, differentiates, delay, seed] = sensor_;
  if (noise > 0) {
    std::vector<double> d(n_v_);
    for (size_t c = 0; c < n_v_; ++c) d[c] = noise * normal_noise(seed, k, c, 0);
    integrate(model, q.data(), d.data(), 1, q.data());
  }
  for (size_t c = 0; resolution > 0 && c < n_v_; ++c)
    if (const int coordinate = model.coordinate[c]; coordinate >= 0)
      q[size_t(coordinate)] = resolution * std::round(q[size_t(coordinate)] / resolution);
  for (size_t c = 0; rate_noise > 0 && c < n_v_; ++c)
    v[c] += rate_noise * normal_noise(seed, k, c, 1);
}

Measured SensorMemory::measure(const Model& model, long long k, const Measured& at,
                               std::span<double> samples) {
  if (samples_ == 0) return at;
  const size_t n = n_q_ + n_v_;
  std::copy_backward(samples.begin(), samples.end() - std::ptrdiff_t(n), samples.end());
  const auto now = samples.first(n);
  std::copy(at.v.begin(), at.v.end(), std::copy(at.q.begin(), at.q.end(), now.begin()));
  disturb(model, k, now.first(n_q_), now.subspan(n_q_));
  for (size_t s = 1; k == 0 && s < samples_; ++s)
    std::copy_n(now.begin(), n, samples.begin() + std::ptrdiff_t(s * n));
  const auto seen = samples.subspan(delay_ * n, n);
  if (!sensor_.differentiates) return {at.t, seen.first(n_q_), seen.subspan(n_q_)};
  difference(model, samples.data() + (delay_ + 1) * n, seen.data(), d_.data());
  for (size_t c = 0; c < n_v_; ++c) v_[c] = d_[c] / period_;
  return {at.t, seen.first(n_q_), v_};
}

}  // namespace torsor
