#include "torsor/fmi/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "torsor/base/error.hpp"
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
  const std::vector<std::string> dofs = model.dof_names();
  for (int dof = 0; dof < model.n_v; ++dof)
    if (has_input(experiment, dof))
      out.push_back({Kind::input, size_t(dof), "torque." + dofs[size_t(dof)],
                     torque_unit(model, dof),
                     "torque or force of the motor, in addition to those of the scene", 0.0});
  size_t index = 0;
  for (const auto& [name, value] : experiment.parameters)
    out.push_back(
        {Kind::parameter, index++, "parameters." + name, "", "parameter of the scene", value});
  const Recorder recorder(model, recorded_signals(experiment), {}, experiment.load.controls,
                          experiment.load.sensors);
  for (size_t k = 1; k < recorder.columns().size(); ++k) {
    const Column& column = recorder.columns()[k];
    out.push_back({Kind::output, k, column.name, column.unit,
                   column.frame.empty() ? "" : "in the axes of " + column.frame, 0.0});
  }
  std::set<std::string> names;
  for (const Variable& variable : out)
    if (!names.insert(variable.name).second)
      throw Error(fmt::format("two variables of the FMU have the name '{}'; rename the robot",
                              variable.name));
  return out;
}

}  // namespace torsor::fmi
