#include "torsor/base/processor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "torsor/base/error.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace torsor {

namespace {

#if defined(__x86_64__)

constexpr std::string_view levels[] = {"x86-64", "x86-64-v3", "x86-64-v4"};

// Returns whether this processor has MOVBE, F16C and LZCNT, which __builtin_cpu_supports() of clang
// 14 does not know.
bool has_small_extensions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned movbe = 1u << 22, f16c = 1u << 29, lzcnt = 1u << 5;
  if (!__get_cpuid(1, &a, &b, &c, &d) || (c & movbe) == 0 || (c & f16c) == 0) return false;
  return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & lzcnt) != 0;
}

// Returns the index of the highest level of this processor and of the operating system.
size_t highest_level() {
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                  __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma") &&
                  has_small_extensions();
  if (!v3) return 0;
  const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? 2 : 1;
}

#endif

}  // namespace

std::span<const std::string_view> processor_levels() {
#if defined(__x86_64__)
  return levels;
#else
  return {};
#endif
}

size_t processor_level() {
#if defined(__x86_64__)
  static const size_t highest = highest_level();
  const char* chosen = std::getenv("TORSOR_PROCESSOR");
  if (!chosen || !*chosen) return highest;
  const auto at = std::ranges::find(levels, std::string_view(chosen));
  if (at == std::end(levels))
    throw Error(fmt::format("TORSOR_PROCESSOR is '{}'; it must be one of {}", chosen,
                            fmt::join(levels, ", ")));
  if (const auto level = size_t(at - std::begin(levels)); level <= highest) return level;
  throw Error(fmt::format("TORSOR_PROCESSOR is '{}', but this processor is of the level '{}'",
                          chosen, levels[highest]));
#else
  return 0;
#endif
}

}  // namespace torsor
