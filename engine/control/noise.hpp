#pragma once
// The noise of sensors.

#include <cstddef>
#include <cstdint>

namespace torsor {

// Returns a normally distributed number (Box and Muller) that depends only on a seed, a sample, a
// column (a dof, or a value of a sensor) and the kind of measurement.
double normal_noise(uint64_t seed, long long sample, size_t column, uint64_t what = 0);

// Returns the number of periods in a delay. Throws Error if the delay is negative, not a whole
// number of periods, or more than 10000 periods.
size_t periods_of_delay(double delay, double period);

// Throws Error if a setting of a sensor is negative or not finite.
void require_not_negative(const char* what, double value);

}  // namespace torsor
