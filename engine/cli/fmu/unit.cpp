#include "torsor/cli/fmu/unit.hpp"

#include <algorithm>
#include <charconv>

namespace torsor::cli {

namespace {

struct Named {
  std::string_view name;
  Exponents exponents;  // kg, m, s, A, rad
};

constexpr Named named[] = {{"1", {}},          {"kg", {1}},           {"m", {0, 1}},
                           {"s", {0, 0, 1}},   {"A", {0, 0, 0, 1}},   {"rad", {0, 0, 0, 0, 1}},
                           {"Hz", {0, 0, -1}}, {"N", {1, 1, -2}},     {"J", {1, 2, -2}},
                           {"W", {1, 2, -3}},  {"V", {1, 2, -3, -1}}, {"Ohm", {1, 2, -3, -2}}};

// Adds the exponents of one part, such as "m^2", times sign.
bool add_part(std::string_view part, int sign, Exponents& out) {
  int power = 1;
  const size_t hat = part.find('^');
  if (hat != std::string_view::npos) {
    const std::string_view digits = part.substr(hat + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), power);
    if (error != std::errc() || end != digits.data() + digits.size()) return false;
  }
  const auto found = std::ranges::find(named, part.substr(0, hat), &Named::name);
  if (found == std::end(named)) return false;
  for (size_t k = 0; k < out.size(); ++k) out[k] += sign * power * found->exponents[k];
  return true;
}

}  // namespace

std::optional<Exponents> exponents_of(std::string_view unit) {
  Exponents out{};
  int sign = 1;
  while (!unit.empty()) {
    const size_t end = std::min(unit.find_first_of(" /"), unit.size());
    if (!add_part(unit.substr(0, end), sign, out)) return std::nullopt;
    if (end == unit.size()) break;
    if (unit[end] == '/') sign = -1;
    unit.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace torsor::cli
