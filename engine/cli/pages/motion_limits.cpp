#include "torsor/cli/pages/motion_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/cli/pages/gnuplot.hpp"

namespace torsor::cli {

namespace {

const char* torque_unit(const Model& model, int dof) {
  return model.dof(dof).turns() ? "N m" : "N";
}

std::string use_of(const Model& model, int dof, const TorqueUse& use) {
  std::string out =
      fmt::format("{:.6g} {} at {:.4g} s", use.peak, torque_unit(model, dof), use.peak_time);
  if (!use.is_limited) return out + ", no limit";
  out += fmt::format(", uses {:.4g} of its limits", use.use);
  if (!std::isnan(use.exceeded_from))
    out += fmt::format(", exceeded from {:.4g} s to {:.4g} s", use.exceeded_from, use.exceeded_to);
  return out;
}

}  // namespace

void print_torques(const DesiredMotion& trajectory, const TorqueCheck& check,
                   const Vec3<double>& gravity_W) {
  const Model& model = trajectory.model();
  fmt::print("torques      with gravity ({}, {}, {}) m/s^2\n", gravity_W.x, gravity_W.y,
             gravity_W.z);
  const std::vector<std::string> names = model.dof_names();
  for (int k = 0; k < model.n_v; ++k)
    fmt::print("    {:<24} {}\n", names[size_t(k)], use_of(model, k, check.dofs[size_t(k)]));
  for (const Transmission& group : model.transmissions)
    for (const int dof : group.dofs)
      fmt::print("    motor {:<18} {:.6g} N m at the shaft\n", names[size_t(dof)],
                 check.dofs[size_t(dof)].motor_peak);
  if (check.dof < 0) {
    fmt::print("scaling      no limit restricts the motion\n");
    return;
  }
  const std::string& dof = names[size_t(check.dof)];
  if (std::isinf(check.scale)) {
    fmt::print("scaling      none: {} exceeds its limit at rest, at {:.4g} s\n", dof, check.time);
  } else {
    fmt::print(
        "scaling      {:.12g} times the duration, {:.12g} s, uses the limits fully: {} at {:.4g} "
        "s\n",
        check.scale, check.scale * trajectory.duration(), dof, check.scale * check.time);
  }
}

void print_time_optimal(const TimeOptimal& fastest, double path_duration) {
  const double T = fastest.motion->duration();
  const Model& model = fastest.motion->model();
  fmt::print("time-optimal {:.10g} s, {:.4g} times the duration of the path, {} points\n", T,
             T / path_duration, fastest.phase.size());
  std::vector<double> time(size_t(model.n_v));
  for (size_t k = 0; k + 1 < fastest.phase.size(); ++k)
    time[size_t(fastest.phase[k].dof)] += fastest.phase[k + 1].time - fastest.phase[k].time;
  const std::vector<std::string> names = model.dof_names();
  for (size_t k = 0; k < time.size(); ++k)
    if (time[k] > 0) fmt::print("    {:<24} limits the motion for {:.4g} s\n", names[k], time[k]);
}

void draw_phase_plane(const std::vector<PhasePoint>& phase, const std::filesystem::path& out) {
  DrawnCurve rate{"ds/dt", {}}, limit{"maximum velocity curve", {}};
  double most = 0;
  for (const PhasePoint& point : phase) most = std::max(most, point.rate);
  for (const PhasePoint& point : phase) {
    rate.points.emplace_back(point.s, point.rate);
    limit.points.emplace_back(point.s, point.max_rate <= 2 * most ? point.max_rate : NAN);
  }
  draw({DrawnPanel{"ds/dt [1]", {limit, rate}, {"path parameter s [s]"}}}, out);
}

void print_actuator_limits(const Model& model, const ActuatorLimits& limits) {
  fmt::print("limits       of the actuators\n");
  const std::vector<std::string> names = model.dof_names();
  for (size_t k = 0; k < names.size(); ++k) {
    const bool turns = model.dof(int(k)).turns();
    fmt::print("    {:<24} {:.6g} {}, {:.6g} {}, largest inertia {:.6g} {}\n", names[k],
               limits.speed[k], turns ? "rad/s" : "m/s", limits.acceleration[k],
               turns ? "rad/s^2" : "m/s^2", limits.inertia[k], turns ? "kg m^2" : "kg");
  }
}

}  // namespace torsor::cli
