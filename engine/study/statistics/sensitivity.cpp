#include "torsor/study/statistics/sensitivity.hpp"

#include <algorithm>
#include <cmath>

#include "torsor/study/sampling/philox.hpp"

namespace torsor {

namespace {

constexpr size_t bootstrap_samples = 1000;

// The pairs of the design whose values are finite, relative to their mean.
class Pairs {
 public:
  Pairs(std::span<const double> values, size_t axes) : axes_(axes) {
    const size_t width = axes + 2;
    for (size_t first = 0; first + width <= values.size(); first += width) {
      const auto pair = values.subspan(first, width);
      if (std::ranges::all_of(pair, [](double f) { return std::isfinite(f); }))
        f_.insert(f_.end(), pair.begin(), pair.end());
    }
    double sum = 0;
    for (size_t k = 0; k < size(); ++k) sum += a(k) + b(k);
    for (double& f : f_) f -= sum / double(2 * size());
  }
  size_t size() const { return f_.size() / (axes_ + 2); }
  double a(size_t pair) const { return f_[pair * (axes_ + 2)]; }
  double a(size_t pair, size_t axis) const { return f_[pair * (axes_ + 2) + 1 + axis]; }
  double b(size_t pair) const { return f_[(pair + 1) * (axes_ + 2) - 1]; }

 private:
  size_t axes_;
  std::vector<double> f_;
};

struct Indices {
  std::vector<double> first, total;  // [axes]
};

// Returns the indices of the selected pairs; empty lists if the outcome is constant there.
Indices indices_of(const Pairs& pairs, size_t axes, std::span<const uint32_t> selected) {
  const double n = double(selected.size());
  double sum = 0, squares = 0;
  for (const uint32_t k : selected) {
    sum += pairs.a(k) + pairs.b(k);
    squares += pairs.a(k) * pairs.a(k) + pairs.b(k) * pairs.b(k);
  }
  const double variance = squares / (2 * n) - sum * sum / (4 * n * n);
  Indices out;
  if (!(variance > 0)) return out;
  for (size_t i = 0; i < axes; ++i) {
    double first = 0, total = 0;
    for (const uint32_t k : selected) {
      const double change = pairs.a(k, i) - pairs.a(k);
      first += pairs.b(k) * change;
      total += change * change;
    }
    out.first.push_back(first / n / variance);
    out.total.push_back(total / (2 * n) / variance);
  }
  return out;
}

Interval percentiles(std::vector<double>& values) {
  std::ranges::sort(values);
  return {quantile(values, 0.025), quantile(values, 0.975)};
}

}  // namespace

std::vector<SensitivityIndex> sensitivity_indices(std::span<const double> values, size_t axes,
                                                  uint64_t& used) {
  const Pairs pairs(values, axes);
  const size_t n = pairs.size();
  used = n;
  if (n < 2) return {};
  std::vector<uint32_t> selected(n);
  for (size_t k = 0; k < n; ++k) selected[k] = uint32_t(k);
  const Indices all = indices_of(pairs, axes, selected);
  if (all.first.empty()) return {};
  std::vector<std::vector<double>> first(axes), total(axes);
  for (uint32_t sample = 0; sample < bootstrap_samples; ++sample) {
    for (size_t k = 0; k < n; ++k)
      selected[k] =
          uint32_t(unit_number(random_bits(0, StreamUse::bootstrap, sample, k)) * double(n));
    const Indices indices = indices_of(pairs, axes, selected);
    for (size_t i = 0; i < indices.first.size(); ++i) {
      first[i].push_back(indices.first[i]);
      total[i].push_back(indices.total[i]);
    }
  }
  std::vector<SensitivityIndex> out;
  for (size_t i = 0; i < axes; ++i)
    out.push_back({all.first[i], all.total[i], percentiles(first[i]), percentiles(total[i])});
  return out;
}

}  // namespace torsor
