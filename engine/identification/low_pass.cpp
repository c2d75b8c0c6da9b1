#include "torsor/identification/low_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"

namespace torsor {

// A pair of poles of the analog filter with cut-off 1 is 1 / (s^2 + 2 sin(angle) s + 1) with angle
// = pi (2k + 1) / (2 order). The bilinear transform replaces s by (1 - z^-1) / (c (1 + z^-1)).
LowPass::LowPass(double cutoff, double rate) : cutoff_(cutoff), rate_(rate) {
  if (!(cutoff > 0) || !(cutoff < rate / 2))
    throw Error(
        fmt::format("the cut-off of {:g} Hz must be above 0 and below {:g} Hz, half the rate of "
                    "the samples",
                    cutoff, rate / 2));
  const double c = std::tan(M_PI * cutoff / rate);
  for (int k = 0; k < order / 2; ++k) {
    const double damping = 2 * c * std::sin(M_PI * (2 * k + 1) / (2 * order));
    const double scale = 1 + damping + c * c;
    sections_.push_back({c * c / scale, 2 * (c * c - 1) / scale, (1 - damping + c * c) / scale});
  }
}

size_t LowPass::settling() const {
  return size_t(std::ceil(3 * rate_ / cutoff_));
}

// Each section starts in the steady state of the first sample.
void LowPass::run(std::span<double> samples) const {
  for (const auto& [b, a_1, a_2] : sections_) {
    double later = samples[0] * (b - a_2), next = samples[0] * (1 - b);
    for (double& x : samples) {
      const double y = b * x + next;
      next = 2 * b * x - a_1 * y + later;
      later = b * x - a_2 * y;
      x = y;
    }
  }
}

void LowPass::apply(std::vector<double>& samples) const {
  if (samples.size() < 2) return;
  const size_t n = samples.size(), pad = std::min(n - 1, 2 * settling());
  std::vector<double> padded;
  for (size_t k = pad; k > 0; --k) padded.push_back(2 * samples[0] - samples[k]);
  padded.insert(padded.end(), samples.begin(), samples.end());
  for (size_t k = 1; k <= pad; ++k) padded.push_back(2 * samples[n - 1] - samples[n - 1 - k]);
  for (int direction = 0; direction < 2; ++direction) {
    run(padded);
    std::reverse(padded.begin(), padded.end());
  }
  std::copy_n(padded.begin() + std::ptrdiff_t(pad), n, samples.begin());
}

}  // namespace torsor
