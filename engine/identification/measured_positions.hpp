#pragma once
// Velocities and accelerations from measured positions, for identification (Gautier, Janot and
// Vandanjon 2013, "A new closed-loop output error method"; Janot, Vandanjon and Gautier 2014, "A
// generic instrumental variable approach for industrial robot identification"):
// 1. q is filtered by a low-pass without phase shift (low_pass.hpp).
// 2. Central differences of the filtered q give v and vdot.
// 3. Both sides of the equations y = W x are filtered by the same low-pass, so that its effect
//    cancels, and decimated to the rate that the low-pass leaves ("parallel decimation",
//    identify.hpp).
//
// The bandwidth of the motion is the frequency at which the spectrum of the accelerations has its
// minimum: below it, the motion prevails, and above it, the noise. The cut-off is twice the largest
// bandwidth of the coordinates, unless it is given.

#include <optional>
#include <span>

#include "torsor/identification/identify.hpp"

namespace torsor {

struct Cutoffs {
  // Hz. Empty: twice the bandwidth of the motion.
  std::optional<double> position;
  // Hz, for both sides of the equations. Empty: 2.5 times the cut-off of the positions. A lower one
  // would extend each reversal of Coulomb friction over more equations.
  std::optional<double> equations;
};

struct FilteredMotion {
  MeasuredMotion
      motion;  // the samples near both ends, where the filter has not settled, are omitted
  std::vector<double> time;
  Decimation decimation;
  LowPass position_filter;
  double bandwidth;                // Hz
  std::vector<double> noise;       // [n_q] standard deviations of the noise of q
  std::vector<double> rate_noise;  // [n_v] standard deviations of the noise that remains in v
};

// Filters and differentiates positions. time [samples] in s, q [samples * n_q], tau [samples *
// n_v]. Throws Error in these cases:
// - There are too few samples, or they are not evenly spaced in time.
// - A cut-off is not between 0 and half the rate of the samples.
// - The positions are constant, so that they have no bandwidth.
FilteredMotion filter_positions(const Model& model, std::span<const double> time,
                                std::span<const double> q, std::span<const double> tau,
                                const Cutoffs& cutoffs = {});

// Returns the number of samples per second. Throws Error if there are fewer than two, or if an
// interval differs from the mean by more than 1 %.
double even_rate(std::span<const double> time);

// Returns v and vdot [n_v] at sample k of q [samples * n_q], from three samples on each side at the
// interval h. With X_j = q_(k+j) (-) q_k, the logarithm:
//   v    = (45 (X_1 - X_-1) - 9 (X_2 - X_-2) + (X_3 - X_-3)) / (60 h) + O(h^6)
//   vdot = (270 (X_1 + X_-1) - 27 (X_2 + X_-2) + 2 (X_3 + X_-3)) / (180 h^2) + O(h^6)
// At X = 0, the derivatives of the logarithm are v and vdot for every kind of joint.
struct Rates {
  std::vector<double> v, vdot;
};
Rates central_differences(const Model& model, std::span<const double> q, size_t k, double h);
inline constexpr size_t difference_reach = 3;  // samples on each side

}  // namespace torsor
