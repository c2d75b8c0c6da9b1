#pragma once
// Identification of drive gains together with the base parameters (Gautier and Briot 2014, "Global
// identification of joint drive gains and dynamic parameters of robots"). The measured signal u_j
// of a motor, such as its current, is proportional to the torque of its joint: tau_j = K_j u_j.
// Torques of a known load determine the common scale of gains and parameters:
//   u_j = (1 / K_j) W_j (x + B pi_load) + e_j
// pi_load are the inertial parameters of the load, in the columns of the link that carries it. The
// equations are solved by the Gauss-Newton method, weighted by the residuals of each joint. Without
// a load, one gain must be known.

#include <optional>
#include <span>

#include "torsor/identification/identify.hpp"

namespace torsor {

struct CarriedLoad {
  std::string link;                    // that carries the load
  SpatialInertia<double> inertia_L{};  // about the origin of the link's frame, in its axes
};

struct SignalMotion {
  MeasuredMotion motion;  // tau contains the signals u
  std::optional<CarriedLoad> load = std::nullopt;
};

struct KnownGain {
  int dof;
  double gain;  // N m or N per unit of the signal
};

struct DriveGains {
  BaseParameters base;
  std::vector<double> estimate, deviation;  // [rank] base parameters and standard deviations
  struct Joint {
    std::string name;  // name of the free dof
    double gain, deviation;
    double residual;  // standard deviation, in units of the signal
  };
  std::vector<Joint> joints;
};

// Estimates gains and base parameters from several motions. Throws the errors of identify(). Throws
// Error if a link is unknown, if the model has mimic joints, if neither a load nor a known gain
// determines the scale, or if a result is not a finite number.
DriveGains identify_gains(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                          const ParameterChoice& choice, std::span<const SignalMotion> motions,
                          const std::optional<KnownGain>& known = {},
                          const Estimator& estimator = {});

}  // namespace torsor
