#include "torsor/identification/measured_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <unsupported/Eigen/FFT>

namespace torsor {

namespace {

constexpr size_t fewest_samples = 64;

std::vector<double> series(std::span<const double> values, size_t width, size_t i) {
  std::vector<double> out;
  for (size_t k = i; k < values.size(); k += width) out.push_back(values[k]);
  return out;
}

// Returns the indices in q of the first entries of quaternions.
std::vector<size_t> quaternions(const Model& model) {
  std::vector<size_t> out;
  for (const Joint& joint : model.joints)
    if (const JointMaps* maps = traits(joint.kind).maps; maps && maps->quaternion >= 0)
      out.push_back(size_t(joint.q_index + maps->quaternion));
  return out;
}

// Gives neighbouring quaternions the same sign, because r and -r are the same rotation.
void make_continuous(const Model& model, std::vector<double>& q) {
  const size_t n_q = size_t(model.n_q);
  for (const size_t first : quaternions(model))
    for (size_t k = n_q + first; k < q.size(); k += n_q) {
      double* r = q.data() + k;
      if (std::inner_product(r, r + 4, r - n_q, 0.0) >= 0) continue;
      for (int i = 0; i < 4; ++i) r[i] = -r[i];
    }
}

// The filter changes the norm of quaternions. Scales them to norm 1.
void restore_norms(const Model& model, std::vector<double>& q) {
  for (const size_t first : quaternions(model))
    for (size_t k = first; k < q.size(); k += size_t(model.n_q)) {
      const double norm = std::sqrt(std::inner_product(&q[k], &q[k] + 4, &q[k], 0.0));
      for (size_t i = 0; i < 4; ++i) q[k + i] /= norm;
    }
}

// The power of a series at the frequencies k resolution, with a Hann window.
struct Spectrum {
  std::vector<double> power;
  double resolution;  // Hz
  double window_sum;  // sum of the squares of the window
};
Spectrum spectrum(const std::vector<double>& x, double rate) {
  const size_t n = x.size();
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / double(n);
  std::vector<double> windowed(std::bit_ceil(n), 0.0);
  Spectrum out{{}, rate / double(windowed.size()), 0};
  for (size_t k = 0; k < n; ++k) {
    const double window = 0.5 - 0.5 * std::cos(2 * M_PI * (double(k) + 0.5) / double(n));
    windowed[k] = window * (x[k] - mean);
    out.window_sum += window * window;
  }
  std::vector<std::complex<double>> transform;
  Eigen::FFT<double>().fwd(transform, windowed);
  for (size_t k = 0; k <= windowed.size() / 2; ++k) out.power.push_back(std::norm(transform[k]));
  return out;
}

struct Band {
  double bandwidth;  // Hz; 0: no motion
  double noise;      // standard deviation
};

// Returns the index k at which the mean of f^4 P(f), the power of the accelerations, over the
// octave from k to 2k is smallest. An octave above the first harmonic contains another one, so that
// the gaps between harmonics do not count. Below k, the motion prevails. Above 2k, noise grows as
// f^4.
size_t end_of_motion(const std::vector<double>& power, size_t first) {
  std::vector<double> sums(1, 0.0);  // sums[k] = sum of f^4 P(f) below k
  for (size_t k = 0; k < power.size(); ++k)
    sums.push_back(sums.back() + std::pow(double(k), 4) * power[k]);
  size_t best = power.size() - 1;
  double least = std::numeric_limits<double>::infinity();
  for (size_t k = std::max<size_t>(first, 1); 2 * k < power.size(); ++k) {
    const double mean = (sums[2 * k] - sums[k]) / double(k);
    if (mean >= least) continue;
    least = mean;
    best = k;
  }
  return best;
}

// The noise is the mean power in the upper half of the spectrum. A motion has a peak of more than
// eight times the noise, as a mean of eight neighbouring powers.
Band band_of(const std::vector<double>& x, double rate) {
  constexpr size_t neighbours = 8;
  constexpr double excess = 8, rounding = 1e-12;
  const auto [low, high] = std::ranges::minmax(x);
  if (high - low <= rounding * std::max(std::abs(low), std::abs(high))) return {0, 0};
  const auto [power, resolution, window_sum] = spectrum(x, rate);
  const auto upper = power.begin() + std::ptrdiff_t(power.size() / 2);
  const double floor = std::accumulate(upper, power.end(), 0.0) / double(power.end() - upper);
  const size_t peak = size_t(std::ranges::max_element(power) - power.begin());
  const auto around = power.begin() + std::ptrdiff_t(peak - std::min(peak, neighbours / 2));
  const double mean =
      std::accumulate(around, around + std::min<std::ptrdiff_t>(neighbours, power.end() - around),
                      0.0) /
      double(neighbours);
  const bool moves = mean > excess * floor;
  return {moves ? double(end_of_motion(power, peak)) * resolution : 0,
          std::sqrt(floor / window_sum)};
}

// Noise of density 2 sigma^2 / rate up to the cut-off f, differentiated, has the variance
// (2 pi)^2 2 sigma^2 f^3 / (3 rate). A rate of a rotation is twice that of its quaternion.
std::vector<double> noise_of_rates(const Model& model, const std::vector<double>& noise,
                                   const LowPass& filter) {
  const double f = filter.cutoff();
  const double gain = 2 * M_PI * std::sqrt(2 * f * f * f / (3 * filter.rate()));
  std::vector<double> out;
  for (const Joint& joint : model.joints) {
    const JointTraits& kind = traits(joint.kind);
    const auto own = std::span(noise).subspan(size_t(joint.q_index), size_t(kind.n_q));
    const bool has_quaternion = kind.maps && kind.maps->quaternion >= 0;
    const double largest = *std::ranges::max_element(own) * (has_quaternion ? 2 : 1);
    out.insert(out.end(), size_t(kind.n_v), gain * largest);
  }
  return out;
}

}  // namespace

double even_rate(std::span<const double> time) {
  const size_t n = time.size();
  if (n < 2) throw Error(fmt::format("{} samples have no rate; record a longer motion", n));
  const double h = (time[n - 1] - time[0]) / double(n - 1);
  for (size_t k = 1; k < n; ++k)
    if (!(h > 0) || !(std::abs(time[k] - time[k - 1] - h) <= 0.01 * h))
      throw Error(
          fmt::format("the samples are not evenly spaced: {:g} s between samples {} and {}, and "
                      "{:g} s on average; filters need a constant interval: interpolate the "
                      "measurement at even times",
                      time[k] - time[k - 1], k, k + 1, h));
  return 1 / h;
}

Rates central_differences(const Model& model, std::span<const double> q, size_t k, double h) {
  constexpr double first[] = {45.0 / 60, -9.0 / 60, 1.0 / 60},
                   second[] = {270.0 / 180, -27.0 / 180, 2.0 / 180};
  const size_t n_q = size_t(model.n_q), n_v = size_t(model.n_v);
  Rates out{std::vector<double>(n_v, 0.0), std::vector<double>(n_v, 0.0)};
  std::vector<double> before(n_v), after(n_v);
  const double* const centre = q.data() + k * n_q;
  for (size_t j = 0; j < difference_reach; ++j) {
    difference(model, centre, centre + (j + 1) * n_q, after.data());
    difference(model, centre, centre - (j + 1) * n_q, before.data());
    for (size_t c = 0; c < n_v; ++c) {
      out.v[c] += first[j] * (after[c] - before[c]) / h;
      out.vdot[c] += second[j] * (after[c] + before[c]) / (h * h);
    }
  }
  return out;
}

FilteredMotion filter_positions(const Model& model, std::span<const double> time,
                                std::span<const double> q, std::span<const double> tau,
                                const Cutoffs& cutoffs) {
  if (time.size() < fewest_samples)
    throw Error(fmt::format("{} samples are too few to filter positions; at least {} are needed",
                            time.size(), fewest_samples));
  const double rate = even_rate(time), h = 1 / rate;
  const size_t n_q = size_t(model.n_q), n_v = size_t(model.n_v), samples = time.size();
  std::vector<double> smooth(q.begin(), q.end()), noise;
  make_continuous(model, smooth);
  double bandwidth = 0;
  for (size_t i = 0; i < n_q; ++i) {
    const Band band = band_of(series(smooth, n_q, i), rate);
    bandwidth = std::max(bandwidth, band.bandwidth);
    noise.push_back(band.noise);
  }
  if (bandwidth == 0 && !cutoffs.position)
    throw Error(
        "the positions are constant, or only noise, so that they determine no cut-off; move the "
        "joints, or give a cut-off");
  // A cut-off near half the rate would let all noise pass; differences amplify it most there.
  const LowPass filter(cutoffs.position.value_or(std::min(2 * bandwidth, 0.4 * rate)), rate);
  const LowPass both_sides(cutoffs.equations.value_or(std::min(2.5 * filter.cutoff(), 0.4 * rate)),
                           rate);
  for (size_t i = 0; i < n_q; ++i) {
    std::vector<double> one = series(smooth, n_q, i);
    filter.apply(one);
    for (size_t k = 0; k < samples; ++k) smooth[k * n_q + i] = one[k];
  }
  const size_t end = std::max(filter.settling(), difference_reach);
  if (samples < 2 * end + fewest_samples / 2)
    throw Error(fmt::format(
        "{} samples are too few for a cut-off of {:g} Hz: {} at each end are omitted, where the "
        "filter has not settled; record a longer motion, or give a higher cut-off",
        samples, filter.cutoff(), end));
  restore_norms(model, smooth);
  FilteredMotion out{
      {}, {}, {both_sides}, filter, bandwidth, noise, noise_of_rates(model, noise, filter)};
  for (size_t k = end; k + end < samples; ++k) {
    const Rates rates = central_differences(model, smooth, k, h);
    const auto append = [](std::vector<double>& to, std::span<const double> x) {
      to.insert(to.end(), x.begin(), x.end());
    };
    out.time.push_back(time[k]);
    append(out.motion.q, std::span(smooth).subspan(k * n_q, n_q));
    append(out.motion.v, rates.v);
    append(out.motion.vdot, rates.vdot);
    append(out.motion.tau, tau.subspan(k * n_v, n_v));
  }
  return out;
}

}  // namespace torsor
