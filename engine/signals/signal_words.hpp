#pragma once
// The words of signal names that several files of Recorder use.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "torsor/analysis/comparison.hpp"
#include "torsor/model/model.hpp"

namespace torsor {

// The end of the name of a law's acceleration minus the actual one.
inline constexpr std::string_view residual = "_residual";
inline constexpr std::string_view compare_prefix = "compare";
inline constexpr std::string_view least_distance_signal = "least_distance",
                                  distance_prefix = "distance.";
inline constexpr std::string_view touch_prefix = "touch.", sensor_prefix = "sensor.",
                                  joint_wrench_prefix = "joint_wrench.";
inline constexpr std::string_view frame_signals[] = {"pose", "twist", "imu"};

inline std::string closure_signal(const Closure& closure) {
  return "closure." + closure.name;
}
inline std::string closure_error_signal(const Closure& closure) {
  return "closure_error." + closure.name;
}
inline std::string compare_signal(Compared quantity) {
  return fmt::format("{}.{}", compare_prefix, name(quantity));
}

}  // namespace torsor
