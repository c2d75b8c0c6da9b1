#pragma once
// Numbers as text: the shortest decimals that read back as the same double.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace torsor {

inline std::string number_text(double value) {
  // "{}" writes integers above 1e16 with an exponent, and 2.0 as "2".
  return fmt::format("{}", value);
}

// Returns the finite number that a string is, or nullopt. Blanks around it are no part of a number.
inline std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const char *begin = text.data(), *end = begin + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace torsor
