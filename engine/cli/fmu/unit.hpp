#pragma once
// Units as products of powers of the SI base units.

#include <array>
#include <optional>
#include <string_view>

namespace torsor::cli {

// Names of the base units, in the order of Exponents.
inline constexpr std::array<const char*, 5> base_units = {"kg", "m", "s", "A", "rad"};
using Exponents = std::array<int, 5>;

// Returns the exponents of a unit such as "N m" or "kg m^2/s", or nullopt if it has other parts.
// The units after "/" are all in the denominator.
std::optional<Exponents> exponents_of(std::string_view unit);

}  // namespace torsor::cli
