#include "torsor/control/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "torsor/base/error.hpp"
#include "torsor/base/random.hpp"

namespace torsor {

double normal_noise(uint64_t seed, long long sample, size_t column, uint64_t what) {
  const uint64_t a = splitmix64(
                     splitmix64(splitmix64(splitmix64(seed) ^ uint64_t(sample)) ^ column) ^ what),
                 b = splitmix64(a);
  // u is in (0, 1], w in [0, 1).
  const double u = (double(a >> 11) + 1) * 0x1p-53, w = double(b >> 11) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * w);
}

void require_not_negative(const char* what, double value) {
  if (!std::isfinite(value))
    throw Error(fmt::format("the sensor's {} is {:g}; it must be finite", what, value));
  if (value < 0)
    throw Error(fmt::format("the sensor's {} is {:g}; it must not be negative", what, value));
}

size_t periods_of_delay(double delay, double period) {
  require_not_negative("delay", delay);
  const double periods = std::round(delay / period);
  if (!(std::abs(delay - periods * period) <= 1e-9 * period * std::max(1.0, periods) &&
        periods <= 10000))
    throw Error(fmt::format(
        "the sensor's delay is {:g}; it must be a whole number of periods of {:g} s, of 10000 at "
        "most",
        delay, period));
  return size_t(periods);
}

}  // namespace torsor
