#pragma once
// Base parameters of a robot from a motion and its torques, by weighted least squares (KHALIL 9.3;
// Gautier and Khalil).
//
// At every sample each free dof has an equation  y = W x + e.  W is the kept columns of Y
// (base_parameters.hpp) at the measured q, v, vdot, and y is the torque. e is an error of the
// torque, independent from sample to sample, with its own variance for each joint:
//   s_j^2 = |e_j|^2 / (m_j - h_j)   of joint j with m_j equations; h_j: sum of their leverages
//   x = argmin sum_j |y_j - W_j x|^2 / s_j^2,   cov x = (sum_j W_j^T W_j / s_j^2)^-1
//
// A second estimate of the standard deviations allows errors of one sample to depend on each other
// and on the state (identify.cpp). Noise in the rates causes such errors. The larger of both
// estimates is used. Large noise in q, v and vdot also biases x. Filtered torques have errors that
// are not independent. The intervals are then too narrow by the square root of the number of
// samples that the filter combines.
//
// Coulomb friction is F_c sign(v), and at rest it is anything up to the breakaway force. With noise
// in the rates the sign is unknown near rest. Therefore equations of a joint with Coulomb friction
// are left out while its rate is within a dead band.

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
  // [rank] half width of the 95 % confidence interval about the estimate (Student's t).
  std::vector<double> half_width;
  double condition;  // of W, each column of norm 1
  struct Joint {
    std::string name;  // name of the free dof
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

// Estimates the base parameters of a robot. unmeasured: dof whose tau is not all that moves them,
// such as those of prescribed joints. Their equations are left out, and so are those of joints at a
// stop. dead_band: the rate, rad/s or m/s, up to which a joint with Coulomb friction counts as
// being at rest; [n_v], or empty for zero.
//
// Throws Error for springs and elastic joints, because tau does not show their torques. Throws
// Error for a motion that does not determine all parameters, with their names, and TooFewEquations
// for too few samples.
Identification identify(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                        const ParameterChoice& choice, const MeasuredMotion& motion,
                        std::span<const int> unmeasured = {},
                        std::span<const double> dead_band = {});

// Returns the standard deviation of the noise in each rate [n_v], or zero for fewer than 20
// differences. time [samples], v [samples * n_v]. It uses fourth differences of consecutive samples
// at equal intervals. For a smooth motion they are nearly zero, and for independent noise they have
// the deviation sqrt(70) sigma. sigma is estimated from the median of their absolute values, so
// that a few jumps have no influence.
std::vector<double> rate_noise(std::span<const double> time, std::span<const double> v, size_t n_v);
// Returns the dead band for rates with this noise: four standard deviations. Noise exceeds it once
// in 16000 samples.
std::vector<double> dead_band_of(std::vector<double> rate_noise);

// Returns t with P(|T| < t) = 0.95 for Student's distribution, accurate to 1e-5 for 10 degrees of
// freedom or more (Abramowitz and Stegun 26.7.5).
double student_95(double degrees_of_freedom);

}  // namespace torsor
