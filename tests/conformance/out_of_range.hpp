#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "torsor/sdk/torsor_plugin.h"

namespace torsor::test {

// Returns values that a host must reject for a real parameter: NaN, infinities, and values just
// below and above the range.
inline std::vector<double> values_out_of_range(const torsor_param& row) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  return {std::numeric_limits<double>::quiet_NaN(), infinite, -infinite,
          std::nextafter(row.min, -infinite), std::nextafter(row.max, infinite)};
}

}  // namespace torsor::test
