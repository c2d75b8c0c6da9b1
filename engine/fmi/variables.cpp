#include "torsor/fmi/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "torsor/base/error.hpp"
#include "torsor/fmi/references.hpp"
#include "torsor/model/joint.hpp"
#include "torsor/model/model.hpp"
#include "torsor/signals/recorder.hpp"

namespace torsor::fmi {

namespace {

using Kind = Variable::Kind;

bool has_input(const Experiment& experiment, int dof) {
  const Joint& joint = experiment.model->joint_of_dof(dof);
  return traits(joint.kind).actuated &&
         std::ranges::none_of(experiment.load.prescriptions, [&](const Prescription& prescription) {
           return &experiment.model->joints[size_t(prescription.joint)] == &joint;
         });
}

std::string torque_unit(const Model& model, int dof) {
  const Joint& joint = model.joint_of_dof(dof);
  return std::string(traits(joint.kind).dofs[size_t(dof - joint.v_index)].tau_unit());
}

void add_torques(const Model& model, const Experiment& experiment, std::vector<Variable>& out) {
  const std::vector<std::string> dofs = model.dof_names();
  for (int dof = 0; dof < model.n_v; ++dof)
    if (has_input(experiment, dof))
      out.push_back({Kind::input, size_t(dof), "torque." + dofs[size_t(dof)],
                     torque_unit(model, dof),
                     "torque or force of the motor, in addition to those of the scene", 0.0});
}

std::string in_axes(const Column& column) {
  return column.frame.empty() ? "" : "in the axes of " + column.frame;
}

void add_references(const Experiment& experiment, std::vector<Variable>& out) {
  auto place = size_t(experiment.model->n_v);
  for (const ReferenceInput& reference : reference_inputs(experiment)) {
    out.push_back({Kind::input, place++, reference.name + ".active", "",
                   "true: the control follows the reference of these inputs; false: that of the "
                   "scene",
                   false});
    for (size_t k = 0; k < reference.entries.size(); ++k) {
      const Column& entry = reference.entries[k];
      out.push_back(
          {Kind::input, place++, entry.name, entry.unit, in_axes(entry), reference.start[k]});
    }
  }
}

}  // namespace

std::vector<std::string> recorded_signals(const Experiment& experiment) {
  std::vector<std::string> out;
  for (const std::string& name : experiment.record)
    if (!name.starts_with("compare.")) out.push_back(name);
  return out;
}

std::vector<Variable> variables_of(const Experiment& experiment) {
  const Model& model = *experiment.model;
  std::vector<Variable> out = {{Kind::time, 0, "time", "s", "simulated time", 0.0}};
  add_torques(model, experiment, out);
  add_references(experiment, out);
  size_t index = 0;
  for (const auto& [name, value] : experiment.parameters)
    out.push_back(
        {Kind::parameter, index++, "parameters." + name, "", "parameter of the scene", value});
  const Recorder recorder(model, recorded_signals(experiment), {}, experiment.load.controls,
                          experiment.load.sensors);
  for (size_t k = 1; k < recorder.columns().size(); ++k) {
    const Column& column = recorder.columns()[k];
    out.push_back({Kind::output, k, column.name, column.unit, in_axes(column), 0.0});
  }
  std::set<std::string> names;
  for (const Variable& variable : out)
    if (!names.insert(variable.name).second)
      throw Error(fmt::format("two variables of the FMU have the name '{}'; rename the robot",
                              variable.name));
  return out;
}

}  // namespace torsor::fmi
