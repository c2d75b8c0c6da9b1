#include "editor/probe/tracking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "editor/edits/position.hpp"
#include "editor/probe/probe.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/loading/descriptor.hpp"
#include "torsor/mechanics/kinematics.hpp"
#include "torsor/model/transmission.hpp"
#include "torsor/simulation/simulation.hpp"
#include "torsor/spatial/so3.hpp"

namespace torsor::editor {

namespace {

std::vector<double> with_reference(const Robot& robot, std::span<const double> q,
                                   const Reference& reference) {
  std::vector<double> out(q.begin(), q.end());
  std::ranges::copy(reference.q, out.begin() + robot.first_q);
  return out;
}

// Returns the smaller of the control's own limit and the motor's limit at this torque and rate.
double torque_limit(const Model& model, const Control& control, const Robot& robot, int column,
                    double torque, double rate) {
  double limit = std::numeric_limits<double>::infinity();
  if (!control.max_torque.empty()) limit = control.max_torque[size_t(column - robot.first_v)];
  const TorqueRange range = torque_range(model, column, rate);
  return std::min(limit, torque < 0 ? -range.lower : range.upper);
}

void add_torques(Tracking& out, Probe& probe, const Control& control, size_t place) {
  const Model& model = probe.state().model();
  const Robot& robot = model.robots[size_t(control.robot)];
  const Answer& requested = probe.control_torque(place);
  const JointForces& forces = probe.joint_forces();
  if (!requested.failure.empty() || !forces.failure.empty()) {
    out.failure = requested.failure.empty() ? forces.failure : requested.failure;
    return;
  }
  for (int k = 0; k < robot.n_v; ++k) {
    const size_t c = size_t(robot.first_v + k);
    Tracked& row = out.entries[size_t(k)];
    row.requested = requested.x[c];
    row.motor_torque = forces.torque[c];
    row.limit = torque_limit(model, control, robot, int(c), row.motor_torque, row.rate);
    row.torque_unit = model.dof(int(c)).tau_unit();
  }
}

void track_joints(Tracking& out, Probe& probe, const Control& control, const Reference* reference) {
  const State& state = probe.state();
  const Model& model = state.model();
  const Robot& robot = model.robots[size_t(control.robot)];
  const std::vector<Position> names = positions(model);
  const std::vector<std::string> columns = model.dof_names();
  const std::vector<int> moved = moved_positions(model);
  const std::vector<double> q_ref =
      reference ? with_reference(robot, state.q(), *reference) : std::vector<double>();
  std::vector<double> e(state.v.size());
  if (reference) difference(model, state.q().data(), q_ref.data(), e.data());
  for (int c = robot.first_v; c < robot.first_v + robot.n_v; ++c) {
    Tracked row;
    const int place = moved[size_t(c)];
    row.name = names[size_t(place)].name;
    row.column = columns[size_t(c)];
    for (std::string* name : {&row.name, &row.column})
      if (model.robots.size() > 1) *name = name->substr(robot.name.size() + 1);
    if (row.column == row.name) row.column.clear();
    row.unit = names[size_t(place)].unit;
    row.rate_unit = model.dof(c).v_unit();
    row.actual = position(model, state.q(), place);
    row.rate = state.v[size_t(c)];
    if (reference) {
      row.reference = position(model, q_ref, place);
      row.error = e[size_t(c)];
      const size_t own = size_t(c - robot.first_v);
      if (own < reference->v.size()) row.reference_rate = reference->v[own];
    }
    out.entries.push_back(row);
  }
}

// Returns the frame that follows the reference of a control, or "" if it is unknown.
std::string followed_frame(const Control& control) {
  const auto* law = dynamic_cast<const ControllerLaw*>(control.law.get());
  if (!law) return "";
  const Controller& controller = law->controller();
  return editor::followed_frame(parameter_rows(controller.descriptor()), controller.settings());
}

constexpr const char* frame_entries[] = {"x", "y", "z", "rx", "ry", "rz"};

std::vector<double> numbers_of(const Pose<double>& X) {
  const Vec3<double> r = log_so3(X.R);
  return {X.p.x, X.p.y, X.p.z, r.x, r.y, r.z};
}

// Compares a frame with its reference in world axes. The error consists of the displacement and the
// rotation vector from the actual to the reference pose.
void track_frame(Tracking& out, Probe& probe, const Control& control, const Reference& reference) {
  const State& state = probe.state();
  const Model& model = state.model();
  out.frame = followed_frame(control);
  auto known = std::ranges::find(model.frames, out.frame, &Frame::name);
  if (known == model.frames.end())  // names have a prefix in a world of several robots
    known = std::ranges::find(
        model.frames, fmt::format("{}.{}", model.robots[size_t(control.robot)].name, out.frame),
        &Frame::name);
  const std::vector<double> wanted = numbers_of(reference.X_WF);
  std::vector<double> actual(6, std::nan("")), error = actual, rates = actual;
  if (known != model.frames.end()) {
    const Pose<double> X = frame_pose(state, *known);
    const Vec3<double> turn = log_so3(reference.X_WF.R * transpose(X.R)),
                       way = reference.X_WF.p - X.p;
    actual = numbers_of(X);
    error = {way.x, way.y, way.z, turn.x, turn.y, turn.z};
    const Twist<double> V = frame_twist(state, *known, Axes::world);
    rates = {V.v.x, V.v.y, V.v.z, V.w.x, V.w.y, V.w.z};
  }
  const Twist<double>& V_ref = reference.V[0];
  const bool moves = reference.order > 0;
  const double rates_ref[] = {V_ref.v.x, V_ref.v.y, V_ref.v.z, V_ref.w.x, V_ref.w.y, V_ref.w.z};
  for (size_t k = 0; k < 6; ++k)
    out.entries.push_back({.name = frame_entries[k],
                           .unit = k < 3 ? "m" : "rad",
                           .rate_unit = k < 3 ? "m/s" : "rad/s",
                           .reference = wanted[k],
                           .actual = actual[k],
                           .error = error[k],
                           .reference_rate = moves ? rates_ref[k] : 0,
                           .rate = rates[k],
                           .torque_unit = ""});
}

}  // namespace

std::string followed_frame(std::span<const torsor_param> rows,
                           const std::vector<Setting>& settings) {
  std::vector<std::string> frames;
  for (const torsor_param& row : rows) {
    const auto setting = std::ranges::find(settings, row.name, &Setting::name);
    if (row.type != TORSOR_FRAME || setting == settings.end()) continue;
    const auto* places = std::get_if<std::vector<FramePlace>>(&setting->value);
    if (!places || places->size() != 1) continue;
    if (setting->name == "frame") return places->front().name;
    frames.push_back(places->front().name);
  }
  return frames.size() == 1 ? frames.front() : "";
}

bool Tracked::saturated() const {
  return !torque_unit.empty() && (std::abs(requested) >= limit || std::abs(motor_torque) >= limit);
}

Tracking tracking(Probe& probe, const Control& control, size_t place) {
  Tracking out;
  const ReferenceLaw* law = control.law->reference();
  out.has_reference = law != nullptr;
  out.of_frame = law && law->of_frame;
  try {
    std::optional<Reference> reference;
    if (law) {
      reference.emplace(law->make());
      law->evaluate(probe.simulation().time(), *reference);
    }
    if (out.of_frame) {
      track_frame(out, probe, control, *reference);
    } else {
      track_joints(out, probe, control, reference ? &*reference : nullptr);
      add_torques(out, probe, control, place);
    }
  } catch (const std::exception& error) {
    out.failure = error.what();
  }
  return out;
}

std::vector<std::vector<double>> reference_over(const Model& model, const Control& control,
                                                const std::vector<double>& times) {
  const Robot& robot = model.robots[size_t(control.robot)];
  const ReferenceLaw& law = *control.law->reference();
  Reference reference = law.make();
  std::vector<std::vector<double>> out;
  const std::vector<double> neutral_q = neutral(model);
  const std::vector<int> moved = moved_positions(model);
  for (const double t : times) {
    law.evaluate(t, reference);
    if (law.of_frame) {
      out.push_back(numbers_of(reference.X_WF));
      continue;
    }
    const std::vector<double> q = with_reference(robot, neutral_q, reference);
    std::vector<double>& row = out.emplace_back();
    for (int c = robot.first_v; c < robot.first_v + robot.n_v; ++c)
      row.push_back(position(model, q, moved[size_t(c)]));
  }
  return out;
}

}  // namespace torsor::editor
