#include "torsor/identification/prediction.hpp"

#include <cmath>
#include <limits>

#include "torsor/identification/sample_equations.hpp"

namespace torsor {

double Prediction::relative_error() const {
  double sum = 0, moving = 0;
  for (const Joint& joint : joints) {
    if (joint.torque == 0) continue;
    sum += std::pow(joint.error / joint.torque, 2);
    ++moving;
  }
  return moving == 0 ? 0 : std::sqrt(sum / moving);
}

Prediction predict(const std::shared_ptr<const Model>& model, const Vec3<double>& gravity_W,
                   const ParameterChoice& choice, const BaseParameters& base,
                   std::span<const double> parameters, const MeasuredMotion& motion,
                   std::span<const int> unmeasured, std::span<const double> dead_band) {
  if (motion.q.empty()) throw Error("there are no samples to predict; record a motion");
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  SampleEquations at(model, gravity_W, choice, base.grouping.independent, unmeasured, dead_band);
  const Eigen::Map<const Eigen::VectorXd> x(parameters.data(), Eigen::Index(parameters.size()));
  Prediction out;
  const std::vector<std::string> names = model->dof_names();
  for (Eigen::Index j = 0; j < at.n_free(); ++j) {
    const int dof = at.dof(j);
    out.joints.push_back({names[size_t(dof)], std::string(model->dof(dof).tau_unit()), 0, 0, 0});
  }
  every_sample(at, *model, motion, {})([&](const SampleRows& sample) {
    const Eigen::VectorXd y = sample.W * x;
    for (size_t j = 0; j < out.joints.size(); ++j) {
      const double measured = sample.y(Eigen::Index(j)), predicted = y(Eigen::Index(j));
      const bool valid = sample.loss[j] == SampleEquations::Loss::none;
      out.measured.push_back(valid ? measured : none);
      out.predicted.push_back(valid ? predicted : none);
      if (!valid) continue;
      Prediction::Joint& joint = out.joints[j];
      ++joint.samples;
      joint.error += std::pow(measured - predicted, 2);
      joint.torque += measured * measured;
    }
  });
  for (Prediction::Joint& joint : out.joints)
    for (double* sum : {&joint.error, &joint.torque})
      *sum = joint.samples == 0 ? 0 : std::sqrt(*sum / double(joint.samples));
  return out;
}

}  // namespace torsor
