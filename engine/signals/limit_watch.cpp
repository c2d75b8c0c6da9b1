#include "torsor/signals/limit_watch.hpp"

#include <fmt/format.h>

#include <cmath>

#include "torsor/simulation/simulation.hpp"

namespace torsor {

LimitWatch::LimitWatch(const Model& model) : model_(model) {
  for (int j = 0; j < int(model.joints.size()); ++j) {
    const Joint& joint = model.joints[size_t(j)];
    if (traits(joint.kind).n_v != 1) continue;
    const double v = joint.velocity_limit, tau = joint.effort_limit;
    limits_.push_back({j, Limited::position, joint.lower, joint.upper});
    limits_.push_back({j, Limited::velocity, -v, v});
    limits_.push_back({j, Limited::effort, -tau, tau});
  }
  std::erase_if(limits_, [](const Limit& limit) {
    return std::isinf(limit.lower) && std::isinf(limit.upper);
  });
}

void LimitWatch::check_state(Simulation& simulation) {
  if (limits_.empty()) return;
  const std::span<const double> tau = simulation.torque();
  for (Limit& limit : limits_) {
    if (limit.passed) continue;
    const Joint& joint = model_.joints[size_t(limit.joint)];
    const double values[] = {simulation.state().q()[size_t(joint.q_index)],
                             simulation.state().v[size_t(joint.v_index)],
                             tau[size_t(joint.v_index)]};
    const double value = values[size_t(limit.limited)];
    // In time stepping, a joint may pass its stop by rounding errors, or by the displacement that
    // closes a loop after the step.
    const bool has_stop = model_.drives[size_t(joint.v_index)].stop.has_value();
    const double tolerance = limit.limited == Limited::position && has_stop ? 1e-4 : 0;
    if (value >= limit.lower - tolerance && value <= limit.upper + tolerance) continue;
    limit.passed = true, limit.time = simulation.time(), limit.value = value;
  }
}

std::vector<std::string> LimitWatch::passed() const {
  std::vector<std::string> lines;
  for (const Limit& limit : limits_) {
    if (!limit.passed) continue;
    const Joint& joint = model_.joints[size_t(limit.joint)];
    const JointTraits& kind = traits(joint.kind);
    const std::string_view names[] = {"position", "velocity", "effort"};
    const std::string_view units[] = {kind.coordinates[0].unit, kind.dofs[0].v_unit(),
                                      kind.dofs[0].tau_unit()};
    const std::string_view unit = units[size_t(limit.limited)];
    lines.push_back(fmt::format(
        "joint '{}' passed its {} limit of {:g} {} at t = {:g} s ({:.6g} {})", joint.name,
        names[size_t(limit.limited)], limit.value > limit.upper ? limit.upper : limit.lower, unit,
        limit.time, limit.value, unit));
  }
  return lines;
}

}  // namespace torsor
