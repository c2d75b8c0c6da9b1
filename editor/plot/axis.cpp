#include "editor/plot/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace torsor::editor {

namespace {

// Minimum width of a range relative to its values. Doubles cannot represent the ticks of a narrower
// range accurately.
constexpr double narrowest = 1e-12, least_width = 1e-290, largest_value = 1e290;

}  // namespace

float Axis::pixel(double value) const {
  // Limit pixels of values far outside of the range.
  const double part = std::clamp((value - range.low) / range.width(), -1e4, 1e4);
  return begin + float(part * double(end - begin));
}

double Axis::value(float pixel) const {
  return range.low + double(pixel - begin) / double(end - begin) * range.width();
}

Range usable(Range range) {
  range.low = std::clamp(range.low, -largest_value, largest_value);
  range.high = std::clamp(range.high, -largest_value, largest_value);
  if (range.low > range.high) std::swap(range.low, range.high);
  const double size = std::max(std::abs(range.low), std::abs(range.high));
  const double width = std::max(narrowest * size, least_width);
  if (range.width() >= width) return range;
  const double middle = range.low / 2 + range.high / 2;
  return {middle - width, middle + width};
}

Range zoomed(const Range& range, double at, double factor) {
  return usable({at + (range.low - at) * factor, at + (range.high - at) * factor});
}

Range moved(const Range& range, double by) {
  return usable({range.low + by, range.high + by});
}

Range fitted(const Extremes& extremes) {
  if (!extremes.any_finite()) return {0, 1};
  const double width = extremes.high - extremes.low;
  const double room = width > 0           ? 0.06 * width
                      : extremes.low == 0 ? 1
                                          : 0.1 * std::abs(extremes.low);
  return usable({extremes.low - room, extremes.high + room});
}

Ticks ticks(const Range& range, int most) {
  const double rough = range.width() / std::max(most, 2);
  int power = int(std::floor(std::log10(rough)));
  int digit = 0;  // index in digits
  static constexpr double digits[] = {1, 2, 5};
  const auto step_of = [&] { return digits[digit] * std::pow(10.0, power); };
  const auto count = [&](double step) {
    return std::floor(range.high / step) - std::ceil(range.low / step) + 1;
  };
  while (count(step_of()) > std::max(most, 2)) {
    if (++digit < 3) continue;
    digit = 0;
    ++power;
  }
  Ticks found{step_of(), {}};
  const double first = std::ceil(range.low / found.step),
               last = std::floor(range.high / found.step);
  for (double k = first; k <= last; ++k) {
    // A power of ten below one is not exact in a double, but its reciprocal is exact. For example,
    // 3 / 10 is 0.3, but 3 * 0.1 is not.
    const double value =
        power < 0 && power >= -22 ? k * digits[digit] / std::pow(10.0, -power) : k * found.step;
    found.values.push_back(value == 0 ? 0 : value);  // replaces -0 with 0
  }
  return found;
}

Ticks power_ticks(const Range& range, int most) {
  Ticks found = ticks(range, most);
  if (found.step < 1) found = {1, {}};
  found.powers = true;
  if (found.values.empty())
    for (double k = std::ceil(range.low); k <= range.high; ++k) found.values.push_back(k);
  return found;
}

Ticks named_ticks(const Range& range, std::vector<std::string> names) {
  Ticks found;
  for (size_t k = 0; k < names.size(); ++k)
    if (double(k) >= range.low && double(k) <= range.high) found.values.push_back(double(k));
  found.names = std::move(names);
  return found;
}

std::string Ticks::label(double value) const {
  if (!names.empty()) return names.at(size_t(value));
  if (powers) return fmt::format("1e{:.0f}", value);
  if (value == 0) return "0";
  double size = std::abs(value);
  for (const double other : values) size = std::max(size, std::abs(other));
  const int power = int(std::floor(std::log10(step) + 1e-9));
  if (size < 1e5 && power >= -4) return fmt::format("{:.{}f}", value, std::max(0, -power));
  const int own = int(std::floor(std::log10(std::abs(value)) + 1e-9));
  std::string text = fmt::format("{:.{}e}", value, std::clamp(own - power, 0, 17));
  // Write 2e-14 and 3e6 instead of 2e-14 and 3e+06.
  const size_t e = text.find('e') + 2;
  while (text[e] == '0' && e + 1 < text.size()) text.erase(e, 1);
  if (text[e - 1] == '+') text.erase(e - 1, 1);
  return text;
}

}  // namespace torsor::editor
