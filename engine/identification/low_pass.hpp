#pragma once
// The Butterworth low-pass filter, applied forwards and backwards. It has no phase shift. A filter
// of order n and cut-off f_c, for samples at the rate f_s, has the gain
//   |H(f)|^2 = 1 / (1 + (tan(pi f / f_s) / tan(pi f_c / f_s))^(2 n))
// in both directions together (bilinear transform with the exact cut-off).

#include <span>
#include <vector>

namespace torsor {

class LowPass {
 public:
  static constexpr int order = 4;

  // cutoff: Hz, above 0 and below half the rate. At the cut-off, the gain of both directions
  // together is 1/2. rate: number of samples per second. Throws Error for other values.
  LowPass(double cutoff, double rate);

  // Filters evenly spaced samples. Beyond both ends, the signal continues as its reflection in the
  // first and the last sample.
  void apply(std::vector<double>& samples) const;

  double cutoff() const { return cutoff_; }  // Hz
  double rate() const { return rate_; }      // Hz
  // Returns the number of samples at each end that depend on the reflection: three periods of the
  // cut-off, in which its effect falls to a thousandth.
  size_t settling() const;

 private:
  // y_k = b (x_k + 2 x_k-1 + x_k-2) - a_1 y_k-1 - a_2 y_k-2
  struct Section {
    double b, a_1, a_2;
  };
  void run(std::span<double> samples) const;

  double cutoff_, rate_;
  std::vector<Section> sections_;
};

}  // namespace torsor
