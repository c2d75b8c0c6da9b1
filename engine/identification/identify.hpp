#pragma once
// Base parameters of a robot from a motion and its torques, by weighted least squares (KHALIL 9.3;
// Gautier and Khalil).
//
// At every sample each free column gives an equation  y = W x + e  with W the kept columns of Y
// (base_parameters.hpp) at the measured q, v, vdot, y the torque and e an error of the torque:
// independent from sample to sample, of a variance of its own for each joint.
//   s_j^2 = |e_j|^2 / (m_j - h_j)                         of joint j, with m_j equations; h_j the
//   sum of their leverages x = argmin sum_j |y_j - W_j x|^2 / s_j^2,   cov x = (sum_j W_j^T W_j /
//   s_j^2)^-1
// The standard deviations are the larger of these and of those that allow errors of one sample to
// depend on each other and on the state (identify.cpp): noise in the rates makes such errors. Large
// noise in q, v and vdot also biases x. Filtered torques have errors that are not independent:
// intervals come out too narrow by the root of the samples that the filter joins.
//
// Coulomb friction is F_c sign(v), and at rest anything up to the breakaway force. With noise in
// the rates the sign is unknown near rest. So equations of a joint with Coulomb friction are left
// out while its rate is within a dead band.

#include <span>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/identification/base_parameters.hpp"

namespace torsor {

// Samples in sequence: q [n_q], v, vdot and tau [n_v] each. tau: torques of the motors at the
// joints.
struct MeasuredMotion {
  std::vector<double> q, v, vdot, tau;
};

struct Identification {
  BaseParameters base;            // with the model's own values
  std::vector<double> estimate;   // [rank]
  std::vector<double> deviation;  // [rank] standard deviation
  // [rank] estimate -+ this is the 95 % confidence interval (Student's t).
  std::vector<double> half_width;
  double condition;  // of W, each column of norm 1
  struct Joint {
    std::string name;  // of the free column
    std::string unit;
    long equations;
    double residual;  // root of s_j^2, N m or N
    double torque;    // root mean square of tau
  };
  std::vector<Joint> joints;
  long samples = 0, equations = 0;
  // Equations left out because a joint with Coulomb friction was within its dead band.
  long standing = 0;
};

// A motion has too few equations to estimate the parameters.
class TooFewEquations : public Error {
 public:
  using Error::Error;
};

// Estimates the base parameters of a robot. unmeasured: columns whose tau is not all that moves
// them, as those of prescribed joints; their equations are left out, and so are those of joints at
// a stop. dead_band [n_v] or empty: the rate, rad/s or m/s, up to which a joint with Coulomb
// friction counts as standing; empty: zero. Throws Error for springs and elastic joints, about
// which tau does not say enough, and for a motion that leaves parameters undetermined, with their
// names; TooFewEquations for too few samples.
Identification identify(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                        const ParameterChoice& choice, const MeasuredMotion& motion,
                        std::span<const int> unmeasured = {},
                        std::span<const double> dead_band = {});

// Returns the standard deviation of the noise in each rate [n_v], from the fourth differences of
// samples that follow each other at even times: these are nearly zero for a smooth motion, and
// sqrt(70) sigma for independent noise. The median of their absolute values tells sigma, so that
// jumps here and there do not count. time [samples], v [samples * n_v]. Zero for fewer than 20
// differences.
std::vector<double> rate_noise(std::span<const double> time, std::span<const double> v, size_t n_v);
// Returns the dead band for rates with this noise: four standard deviations, which noise exceeds
// once in 16000 samples.
std::vector<double> dead_band_of(std::vector<double> rate_noise);

// t with P(|T| < t) = 0.95 of Student's distribution, for 10 degrees of freedom or more, to 1e-5
// (Abramowitz and Stegun 26.7.5).
double student_95(double degrees_of_freedom);

}  // namespace torsor
