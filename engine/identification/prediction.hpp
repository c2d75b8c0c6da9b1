#pragma once
// Torques that identified parameters predict for a motion, compared with the measured ones. Motions
// that were not used for the identification show if the parameters describe the robot or only the
// motion ("cross-validation").

#include <span>
#include <string>
#include <vector>

#include "torsor/identification/identify.hpp"

namespace torsor {

struct Prediction {
  struct Joint {
    std::string name;  // name of the free dof
    std::string unit;  // N m or N
    long samples;      // that are compared
    double error;      // root mean square of measured - predicted
    double torque;     // root mean square of measured
  };
  std::vector<Joint> joints;
  // [samples][joints], NaN for samples that are not compared: joints at a stop or at rest with
  // Coulomb friction.
  std::vector<double> measured, predicted;

  // Root mean square of the errors of all joints, each divided by the torque of its joint.
  double relative_error() const;
};

// Predicts the torques of a motion from base parameters [rank]. The other arguments are those of
// identify(). Throws Error if the motion has no samples.
Prediction predict(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                   const ParameterChoice& choice, const BaseParameters& base,
                   std::span<const double> parameters, const MeasuredMotion& motion,
                   std::span<const int> unmeasured = {}, std::span<const double> dead_band = {});

}  // namespace torsor
