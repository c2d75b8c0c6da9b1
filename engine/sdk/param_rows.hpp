#pragma once
// Functions that return rows for the parameter table of a C++ plugin.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "torsor/sdk/torsor_param.h"

namespace torsor::sdk {

// Return rows for `static constexpr torsor_param params[]`. A count of 0 allows any number of
// values.
constexpr torsor_param real(const char* name, const char* unit, const char* help, double min,
                            double max, double initial, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_REAL, name, unit, help, min, max, initial, count, nullptr};
}
constexpr torsor_param integer(const char* name, const char* help, double min, double max,
                               double initial, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_INTEGER, name, "", help, min, max, initial, count, nullptr};
}
constexpr torsor_param flag(const char* name, const char* help, bool initial) {
  return {sizeof(torsor_param), TORSOR_FLAG, name, "", help, 0, 1, initial ? 1.0 : 0.0, 1, nullptr};
}
// Returns the row of a choice. choices contains N - 1 names and a terminating NULL. `initial` is
// the index of the default.
template <size_t N>
constexpr torsor_param choice(const char* name, const char* help, const char* const (&choices)[N],
                              uint32_t initial) {
  return {sizeof(torsor_param), TORSOR_CHOICE,   name, "",     help, 0,
          double(N - 2),        double(initial), 1,    choices};
}
constexpr torsor_param frame(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_FRAME, name, "", help, 0, 0, 0, count, nullptr};
}
// Return the rows of parameters without a default. They are required (count 1) or optional (count
// 0).
constexpr torsor_param configuration(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_CONFIGURATION, name, "", help, 0, 0, 0, count, nullptr};
}
constexpr torsor_param path(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_PATH, name, "", help, 0, 0, 0, count, nullptr};
}
constexpr torsor_param table(const char* name, const char* unit, const char* help, double min,
                             double max, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_TABLE, name, unit, help, min, max, min, count, nullptr};
}
constexpr torsor_param pose(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_POSE, name, "", help, 0, 0, 0, count, nullptr};
}
constexpr torsor_param poses(const char* name, const char* help, uint32_t count = 1) {
  return {sizeof(torsor_param), TORSOR_POSES, name, "", help, 0, 0, 0, count, nullptr};
}
// The value of max for a parameter without an upper limit.
inline constexpr double no_limit = std::numeric_limits<double>::max();

}  // namespace torsor::sdk
