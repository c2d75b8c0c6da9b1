#include "torsor/fmi/references.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "torsor/base/error.hpp"
#include "torsor/control/controller_law.hpp"
#include "torsor/model/joint.hpp"
#include "torsor/model/model.hpp"
#include "torsor/signals/control_signals.hpp"

namespace torsor::fmi {

namespace {

constexpr size_t n_pose = 7, n_twist = 6;

const Robot& robot_of(const Model& model, const Control& control) {
  return model.robots[size_t(control.robot)];
}

bool needs_smooth_reference(const ControlLaw& law) {
  const auto* plugin = dynamic_cast<const ControllerLaw*>(&law);
  return plugin && plugin->controller().smoothness() > 0;
}

std::vector<Column> joint_entries(const SignalNames& names, const Robot& robot,
                                  const std::string& name) {
  const Model& model = names.model();
  std::vector<Column> out;
  for (int j = robot.first_joint; j < robot.first_joint + robot.n_joint; ++j) {
    const Joint& joint = model.joints[size_t(j)];
    const JointTraits& kind = traits(joint.kind);
    for (int k = 0; k < kind.n_q; ++k)
      out.push_back({name + ".q." + names.coordinate(robot, joint.q_index + k),
                     std::string(kind.coordinates[size_t(k)].unit), ""});
  }
  for (const bool is_acceleration : {false, true})
    for (int dof = robot.first_v; dof < robot.first_v + robot.n_v; ++dof)
      out.push_back(
          {name + (is_acceleration ? ".vdot." : ".v.") + names.column(robot, dof),
           std::string(is_acceleration ? model.dof(dof).vdot_unit() : model.dof(dof).v_unit()),
           ""});
  return out;
}

std::vector<Column> frame_entries(const std::string& name) {
  std::vector<Column> out = pose_columns(name + ".pose");
  for (const bool is_derivative : {false, true})
    for (const char* part : {"wx", "wy", "wz", "vx", "vy", "vz"})
      out.push_back({fmt::format("{}.{}.{}", name, is_derivative ? "Vdot" : "V", part),
                     fmt::format("{}/s{}", part[0] == 'w' ? "rad" : "m", is_derivative ? "^2" : ""),
                     "world"});
  return out;
}

// Returns the numbers of a reference, in the order of the entries.
std::vector<double> values_of(const Reference& reference, bool of_frame, size_t n_v) {
  std::vector<double> out;
  if (!of_frame) {
    out = reference.q;
    for (const std::vector<double>* rate : {&reference.v, &reference.vdot}) {
      // A reference without derivatives is at rest.
      if (rate->size() == n_v)
        out.insert(out.end(), rate->begin(), rate->end());
      else
        out.resize(out.size() + n_v);
    }
    return out;
  }
  out.resize(n_pose);
  double* to = out.data();
  write_pose(reference.X_WF.p, quaternion(reference.X_WF.R), to);
  for (const Twist<double>& V : {reference.V[0], reference.V[1]})
    out.insert(out.end(), {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z});
  return out;
}

void set_pose(std::span<const double> x, Pose<double>& out) {
  const double size = norm(Quaternion{x[3], x[4], x[5], x[6]});
  if (!(std::abs(size - 1) <= 0.01))
    throw Error(
        fmt::format("the quaternion of the pose has norm {:g}; it must be 1 to within 1 %", size));
  out = {rotation(x[3] / size, x[4] / size, x[5] / size, x[6] / size), {x[0], x[1], x[2]}};
}

Twist<double> twist_of(std::span<const double> x) {
  return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
}

// Copies a motion, but not the scratch memory of a trajectory.
void copy_motion(const Reference& from, Reference& to) {
  to.order = from.order;
  to.q = from.q;
  to.v = from.v;
  to.vdot = from.vdot;
  to.vddot = from.vddot;
  to.vdddot = from.vdddot;
  to.X_WF = from.X_WF;
  to.V = from.V;
}

ReferenceLaw held_or_own(const ReferenceLaw& own,
                         const std::shared_ptr<const HeldReference>& held) {
  ReferenceLaw out = own;
  // The values of a reference at rest are those that make() returns.
  out.evaluate = [own, held, made = std::make_shared<const Reference>(own.make())](
                     double t, Reference& reference) {
    copy_motion(held->is_active ? held->value : *made, reference);
    if (!held->is_active) own.evaluate(t, reference);
  };
  return out;
}

std::shared_ptr<const ControlLaw> holding(const std::shared_ptr<const ControlLaw>& law,
                                          const std::shared_ptr<const HeldReference>& held) {
  return law->following(held_or_own(*law->reference(), held));
}

}  // namespace

std::vector<ReferenceInput> reference_inputs(const Experiment& experiment) {
  const Model& model = *experiment.model;
  const std::vector<Control>& controls = experiment.load.controls;
  const SignalNames names(model, controls, experiment.load.sensors);
  std::vector<ReferenceInput> out;
  for (size_t k = 0; k < controls.size(); ++k) {
    const ReferenceLaw* law = controls[k].law->reference();
    if (!law || needs_smooth_reference(*controls[k].law) || !controls[k].law->following(*law))
      continue;
    const Robot& robot = robot_of(model, controls[k]);
    const std::string name = "reference." + full_name(model, controls[k]);
    Reference start = law->make();
    law->evaluate(0, start);
    out.push_back({k, name, law->of_frame ? frame_entries(name) : joint_entries(names, robot, name),
                   values_of(start, law->of_frame, size_t(robot.n_v))});
  }
  return out;
}

void set_reference(const Model& model, const Control& control, std::span<const double> values,
                   HeldReference& out) {
  Reference& to = out.value;
  to.order = TORSOR_MAX_ORDER;  // higher derivatives are zero
  if (control.law->reference()->of_frame) {
    set_pose(values.first(n_pose), to.X_WF);
    to.V = {twist_of(values.subspan(n_pose, n_twist)), twist_of(values.subspan(n_pose + n_twist))};
    return;
  }
  const Robot& robot = robot_of(model, control);
  const auto n_q = size_t(robot.n_q), n_v = size_t(robot.n_v);
  std::vector<double> q = neutral(model);
  std::ranges::copy(values.first(n_q), q.begin() + robot.first_q);
  normalise(model, q);
  to.q.assign(q.begin() + robot.first_q, q.begin() + robot.first_q + robot.n_q);
  const auto v = values.subspan(n_q, n_v), vdot = values.subspan(n_q + n_v, n_v);
  to.v.assign(v.begin(), v.end());
  to.vdot.assign(vdot.begin(), vdot.end());
  to.vddot.assign(n_v, 0.0);
  to.vdddot.assign(n_v, 0.0);
}

void hold_reference(Control& control, const std::shared_ptr<const HeldReference>& held) {
  control.law = holding(control.law, held);
  if (control.with)
    control.with = [make = control.with, held](const ControlParameters& changed) {
      return holding(make(changed), held);
    };
}

}  // namespace torsor::fmi
