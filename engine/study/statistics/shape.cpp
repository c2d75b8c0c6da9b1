#include "torsor/study/statistics/shape.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "torsor/study/statistics/summary.hpp"

namespace torsor {

namespace {

using Points = std::vector<std::pair<double, double>>;

Band band_of(std::span<const std::pair<double, double>> points) {
  std::vector<double> y;
  for (const auto& point : points) y.push_back(point.second);
  std::ranges::sort(y);
  return {points[points.size() / 2].first,
          {quantile(y, 0.05), quantile(y, 0.25), quantile(y, 0.5), quantile(y, 0.75),
           quantile(y, 0.95)}};
}

// Returns the ends of groups of points with the same x, or nothing if there are too many.
std::vector<size_t> ends_of_values(const Points& points, size_t most) {
  std::vector<size_t> ends;
  for (size_t k = 1; k <= points.size() && ends.size() <= most; ++k)
    if (k == points.size() || points[k].first != points[k - 1].first) ends.push_back(k);
  return ends.size() <= most ? ends : std::vector<size_t>();
}

}  // namespace

Histogram histogram(std::span<const double> values) {
  double least = 0, most = 0;
  uint64_t n = 0;
  for (const double x : values) {
    if (!std::isfinite(x)) continue;
    least = n == 0 ? x : std::min(least, x);
    most = n == 0 ? x : std::max(most, x);
    ++n;
  }
  if (n == 0) return {};
  if (!(most > least)) return {least, 0, {n}};
  const size_t count = size_t(std::clamp(std::ceil(2 * std::cbrt(double(n))), 5.0, 80.0));
  Histogram out{least, (most - least) / double(count), std::vector<uint64_t>(count)};
  for (const double x : values)
    if (std::isfinite(x))
      ++out.counts[std::min(count - 1, size_t((x - least) / (most - least) * double(count)))];
  return out;
}

std::vector<Band> bands(std::span<const double> parameter, std::span<const double> outcome) {
  constexpr size_t most_bands = 40, least_samples = 40;
  Points points;
  for (size_t k = 0; k < parameter.size(); ++k)
    if (std::isfinite(parameter[k]) && std::isfinite(outcome[k]))
      points.emplace_back(parameter[k], outcome[k]);
  std::ranges::sort(points);
  std::vector<size_t> ends = ends_of_values(points, most_bands);
  if (ends.empty()) {
    const size_t count = std::min(most_bands, points.size() / least_samples);
    for (size_t k = 1; k <= count; ++k) ends.push_back(points.size() * k / count);
  }
  if (ends.size() < 2) return {};
  std::vector<Band> out;
  size_t first = 0;
  for (const size_t end : ends) {
    out.push_back(band_of(std::span(points).subspan(first, end - first)));
    first = end;
  }
  return out;
}

}  // namespace torsor
