#pragma once
// Identification of the base parameters of a robot from a measured motion and its torques, by
// weighted least squares (KHALIL 9.3; Gautier and Khalil).
//
// At every sample each free dof has an equation  y = W x + e.  W contains the independent columns
// of Y (base_parameters.hpp) at the measured q, v, vdot. y is the torque. e is the error of the
// torque. It is independent from sample to sample and has a variance s_j^2 for each joint j. With
// the m_j equations of joint j, and the sum h_j of their leverages:
//   s_j^2 = |e_j|^2 / (m_j - h_j)
//   x = argmin sum_j |y_j - W_j x|^2 / s_j^2,   cov x = (sum_j W_j^T W_j / s_j^2)^-1
// s_j and x are computed in turn until s_j changes by less than one percent.
//
// A second estimate of the standard deviations is valid even if the errors within a sample are
// correlated and depend on the state (identify.cpp). Noise in v and vdot causes such errors. The
// larger one of both estimates is used. Large noise in q, v and vdot also biases x. The errors of
// filtered torques are not independent. The confidence intervals are then too narrow, by the square
// root of the number of samples that the filter combines. Parallel decimation (Decimation below)
// avoids this: it filters both sides of the equations, and uses as many of them as are independent.
//
// Coulomb friction is F_c sign(v) while a joint moves. At rest it may have any value up to the
// breakaway force. Noise in v makes the sign uncertain near rest. Therefore the equations of a
// joint with Coulomb friction are omitted while its rate is within a dead band.

#include <span>
#include <string>
#include <vector>

#include "torsor/base/error.hpp"
#include "torsor/identification/base_parameters.hpp"
#include "torsor/identification/low_pass.hpp"

namespace torsor {

// Samples in chronological order: q [n_q], and v, vdot and tau [n_v] each. tau contains the torques
// of the motors at the joints.
struct MeasuredMotion {
  std::vector<double> q, v, vdot, tau;
};

// Parallel decimation: each column of W and y of a joint is filtered, and one of `interval()` rows
// is used (Gautier 1997, "Dynamic identification of robots with power model").
struct Decimation {
  LowPass filter;  // for the rate of the samples, which must be evenly spaced
  // Rows per row that is used. The cut-off becomes 0.8 of half the rate of the used rows.
  size_t interval() const;
  // Bytes of the columns that are filtered at once. All samples are evaluated once for each group
  // of joints whose columns fit, at least one.
  size_t memory = size_t(256) << 20;
};

struct Estimator {
  std::optional<Decimation> decimation = std::nullopt;
  bool equal_weights = false;  // true: ordinary least squares
};

struct Identification {
  BaseParameters base;            // names, grouping and the values of the model
  std::vector<double> estimate;   // [rank] estimated base parameters
  std::vector<double> deviation;  // [rank] standard deviations
  // [rank] half widths of the 95 % confidence intervals (Student's t) around the estimates.
  std::vector<double> half_width;
  double condition;  // condition number of W, after scaling columns to norm 1
  struct Joint {
    std::string name;  // name of the free dof
    std::string unit;
    long equations;
    double residual;  // standard deviation s_j of the residuals, N m or N
    double torque;    // root mean square of tau, N m or N
  };
  std::vector<Joint> joints;
  long samples = 0, equations = 0;
  // Number of equations that were omitted because a joint with Coulomb friction was within its dead
  // band.
  long at_rest = 0;
  // [rank x rank] R_inverse. R_inverse R_inverse^T is the covariance of the estimates for errors
  // that are independent from sample to sample and from joint to joint.
  Eigen::MatrixXd covariance_root;
};

// Thrown if a motion has too few equations to estimate the parameters.
class TooFewEquations : public Error {
 public:
  using Error::Error;
};

// Estimates the base parameters of a robot. The arguments are:
// - unmeasured: dof on which forces other than tau act, such as those of prescribed joints. Their
//   equations are omitted.
// - dead_band: [n_v] in rad/s or m/s, or empty for zero. A joint with Coulomb friction counts as
//   being at rest if its rate is at most this value.
// - estimator: weights and decimation. With decimation, an equation is omitted if its joint has
//   Coulomb friction and is at rest or reverses before the next used equation or after the previous
//   one. The time of a reversal is uncertain, and the friction jumps there.
//
// Omits the equations of joints at a stop. Throws Error if the model has springs or elastic joints,
// because tau does not contain their torques. Throws Error if the motion does not determine all
// parameters. The message names those that it does not determine. Throws TooFewEquations if there
// are too few samples.
Identification identify(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                        const ParameterChoice& choice, const MeasuredMotion& motion,
                        std::span<const int> unmeasured = {},
                        std::span<const double> dead_band = {}, const Estimator& estimator = {});

// Throws Error if the model has springs or elastic joints, whose torques a recording of the motors
// lacks.
void require_no_springs(const Model& model);

// Returns the standard deviation sigma of the noise in each rate, [n_v]. time is [samples] and v
// [samples * n_v]. Uses the fourth differences of five consecutive samples at equal intervals. For
// a smooth motion, these are nearly zero. For independent noise, they have the standard deviation
// sqrt(70) sigma. The median of their absolute values determines sigma, so that a few jumps have no
// influence. Returns zeros if there are fewer than 20 fourth differences.
std::vector<double> rate_noise(std::span<const double> time, std::span<const double> v, size_t n_v);
// Returns a dead band for rates with this noise: four standard deviations. Noise exceeds it about
// once in 16000 samples.
std::vector<double> dead_band_of(std::vector<double> rate_noise);

// Returns t with P(|T| < t) = 0.95 for Student's t-distribution. The error is below 1e-5 for 10
// degrees of freedom or more (Abramowitz and Stegun 26.7.5).
double student_95(double degrees_of_freedom);

}  // namespace torsor
